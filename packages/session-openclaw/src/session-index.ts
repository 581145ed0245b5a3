import { isObject, type JsonObject, parseObject, textOf } from './json-object.js';

/** `sessions.json`: one entry a session key, as another program left it. */
export interface SessionIndex {
  /** In the order of the file. Whatever is no object is `undefined`. */
  readonly entries: ReadonlyMap<string, JsonObject | undefined>;
  /** False where the text is empty or no JSON object: then there are no entries. */
  readonly isReadable: boolean;
}

export function parseIndex(text: string): SessionIndex {
  const value = parseObject(text);
  if (value === undefined) return { entries: new Map(), isReadable: false };
  const entries = Object.entries(value).map(
    ([key, entry]) => [key, isObject(entry) ? entry : undefined] as const,
  );
  return { entries: new Map(entries), isReadable: true };
}

/** As OpenClaw writes it. */
export function writeIndex(entries: ReadonlyMap<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** The session that an entry names; empty where it names none. */
export function sessionIdOf(entry: JsonObject): string {
  return textOf(entry.sessionId);
}

/** An id that may be part of a file's name. */
export function isSafeSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}

/** The last millisecond that is a date. */
const LAST_MS = 8.64e15;

/** When an entry was last written, in whole milliseconds; 0 where it does not say. */
export function updatedAtOf({ updatedAt }: JsonObject): number {
  return typeof updatedAt === 'number' && updatedAt > 0 && updatedAt <= LAST_MS ? Math.floor(updatedAt) : 0;
}

/** Earlier sessions of the same key, oldest first. */
export function earlierSessionIds(entry: JsonObject): readonly string[] {
  const { usageFamilySessionIds: family } = entry;
  if (!Array.isArray(family)) return [];
  const ids = (family as readonly unknown[]).filter((id): id is string => typeof id === 'string');
  return ids.filter((id) => id !== sessionIdOf(entry) && isSafeSessionId(id));
}
