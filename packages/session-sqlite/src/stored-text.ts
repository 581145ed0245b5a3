/*
 * A string may hold half of a surrogate pair, which UTF-8 cannot say. Texts stand in their column with a mark in its
 * place, and exactly as they are in a JSON column beside, where it is escaped.
 */

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** A message's id as its column keeps it: no two ids become one. */
export function storedId(id: string): string {
  return isWellFormed(id) && !id.startsWith('"') ? id : JSON.stringify(id);
}

export function idOf(stored: string): string {
  return stored.startsWith('"') && stored.endsWith('"') ? JSON.parse(stored) : stored;
}
