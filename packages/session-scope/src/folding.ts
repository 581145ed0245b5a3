/**
 * Text as the key scheme sees it. `String#trim` and `String#toLowerCase` differ from the reference in three ways
 * that would change keys: they remove U+FEFF and keep U+0085, they look at a letter's neighbours (final sigma),
 * and they follow the Unicode version of the runtime, which would let an upgrade of Node rename sessions.
 */

const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const EDGE_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const NOT_ASCII = /[^\0-\x7f]/;

/** Letters that gained a lower-case form in Unicode 16 and 17; the reference's tables are those of 15. */
const CASED_AFTER_UNICODE_15 =
  /[\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/u;

/** Removes Unicode White_Space at both ends. */
export function trimSpace(text: string): string {
  const start = text.replace(LEADING_SPACE, '');
  // A scan, not `[…]+$`: that pattern takes quadratic time on a long run of spaces in the middle.
  let end = start.length;
  while (end > 0 && EDGE_SPACE.test(start.charAt(end - 1))) end -= 1;
  return start.slice(0, end);
}

/** Lower-cases each code point by itself: `Σ` is always `σ`, `İ` is `i`. */
export function foldCase(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  if (character === 'İ') return 'i';
  return CASED_AFTER_UNICODE_15.test(character) ? character : character.toLowerCase();
}

/** Trimmed and lower-cased: the form in which names, ids and kinds are compared everywhere in Holdfast. */
export function normaliseText(text: string | undefined): string {
  return text === undefined ? '' : foldCase(trimSpace(text));
}
