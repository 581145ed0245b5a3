/*
 * Keys, aliases and message ids as SQLite keeps them: as they are, so that PicoBot's queries find them. Two things
 * need care. A name may hold a lone surrogate, which UTF-8 cannot say: two such names would become one. And the
 * contract orders by UTF-16 code unit, while SQLite compares UTF-8 bytes: they differ where surrogates are in play.
 */

const loneSurrogate = /\p{Cs}/u;
const anySurrogate = /[\ud800-\udfff]/;
/** Begins a name that is written as the hexadecimal digits of its code units. */
const escaped = '\u0000';

export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

export function wellFormed(text: string): string {
  return loneSurrogate.test(text) ? text.replace(/\p{Cs}/gu, '\ufffd') : text;
}

/** The text that stands for a name in the file; no two names share one. */
export function storedName(name: string): string {
  if (!name.startsWith(escaped) && isWellFormed(name)) return name;
  let digits = escaped;
  for (let index = 0; index < name.length; index += 1) {
    digits += name.charCodeAt(index).toString(16).padStart(4, '0');
  }
  return digits;
}

export function nameOf(stored: string): string {
  if (!stored.startsWith(escaped)) return stored;
  const digits = stored.slice(escaped.length).match(/.{4}/g) ?? [];
  return String.fromCharCode(...digits.map((each) => Number.parseInt(each, 16)));
}

/** Bytes that sort as the key does by UTF-16 code unit, where those of its stored name do not. */
export function keyOrder(key: string): Buffer | null {
  return anySurrogate.test(key) || key.startsWith(escaped) ? orderBytes(key) : null;
}

/** What `sortBytes` in SQL gives for a key: UTF-8, each code unit written for itself. */
export function orderBytes(key: string): Buffer {
  if (!anySurrogate.test(key)) return Buffer.from(key, 'utf8');
  const bytes: number[] = [];
  for (let index = 0; index < key.length; index += 1) {
    const unit = key.charCodeAt(index);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

/** The same in SQL, over the table `sessions`. The indexes of the pages are built on this very text. */
export const sortBytes = 'coalesce(key_order, CAST(id AS BLOB))';
