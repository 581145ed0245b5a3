// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * What people and models wrote, for a terminal: without the characters that would move its cursor, hide lines or
 * type for the person who reads it. Line feeds and tabs stay, and carriage returns are left out.
 */
export function printable(text: string): string {
  return text.replaceAll('\r', '').replace(CONTROLS, '\uFFFD');
}
