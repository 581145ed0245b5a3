import { InvalidKey, Unsupported } from './errors.js';

const longest = 1024;
/** Nearly every key: no need to look closer. */
const printable = /^[ -~]*$/;

/**
 * Throws `InvalidKey` unless the key is a non-empty string of at most 1,024 characters that every medium can
 * hold: no NUL (PostgreSQL has none in text), no half of a surrogate pair (UTF-8 has none).
 */
export function checkKey(key: string, what = 'session key'): void {
  if (typeof key !== 'string' || key === '') {
    throw new InvalidKey(`The ${what} is empty or not a string; expected 1 to ${longest} characters.`);
  }
  if (key.length > longest) {
    throw new InvalidKey(
      `The ${what} "${key.slice(0, 40)}…" has ${key.length} characters, at most ${longest} are taken.`,
      { key },
    );
  }
  if (!printable.test(key) && (key.includes('\0') || /\p{Surrogate}/u.test(key))) {
    throw new InvalidKey(
      `The ${what} ${JSON.stringify(key.slice(0, 40))} holds a NUL or half a character; remove it.`,
      { key },
    );
  }
}

/** Throws `Unsupported` where what should be text is none. */
export function checkText(operation: string, key: string, name: string, text: unknown): void {
  if (typeof text === 'string') return;
  throw new Unsupported(`${operation}: session "${key}": ${name} is ${typeof text}; expected text.`, { key });
}
