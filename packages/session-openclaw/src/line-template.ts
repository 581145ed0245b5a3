/*
 * A line without what its message holds anyway, so that it can be written again byte for byte at little cost: each
 * long value is replaced by its number between two U+0001, which stand nowhere in a line that is JSON.
 */

const MARK = '\u0001';
const NUMBERED = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');
/** Below this a number saves nothing. */
const LONG = 24;

/** The line with every long one of `held` (JSON texts) taken out. */
export function templateOf(line: string, held: readonly string[]): string {
  let template = line;
  held.forEach((text, index) => {
    if (text.length >= LONG && !text.includes(MARK))
      template = template.replace(text, () => `${MARK}${index}${MARK}`);
  });
  return fillTemplate(template, held) === line ? template : line;
}

export function fillTemplate(template: string, held: readonly string[]): string {
  return template.replaceAll(NUMBERED, (_, index: string) => held[Number(index)] ?? '');
}
