import { type PagePlace, type PageQuery, pageOf, type SessionMeta } from '@x/session-store';
import { createActivityOrder } from './activity-order.js';
import type { SessionEntry } from './session-entry.js';

/** Sessions of which the index tells; each is read from there when it is first needed. */
export interface IndexedSessions {
  /** By activity, newest first. */
  readonly places: readonly PagePlace[];
  /** Keys of those that are deleted. */
  readonly deleted: ReadonlySet<string>;
  entryAt(row: number): SessionEntry;
}

/** The sessions of the folder by key: those that were used, and those that wait in the index. */
export interface SessionTable {
  get(key: string): SessionEntry | undefined;
  has(key: string): boolean;
  /** True for a session that is there and not deleted; no record is read for it. */
  isLive(key: string): boolean;
  set(key: string, entry: SessionEntry): void;
  delete(key: string): void;
  /** The record of the session has changed. */
  touch(key: string): void;
  /** False while all is as the index told. */
  hasChanged(): boolean;
  readonly size: number;
  /** Those that are not in the index only. */
  used(): Iterable<SessionEntry>;
  /** The row of the index, for a session that was not used. */
  rowOf(key: string): number | undefined;
  keysByActivity(): Iterable<string>;
  page(query: PageQuery, after: PagePlace | undefined): readonly string[];
}

const unchangedAtMost = 512;

export function createSessionTable(
  indexed: IndexedSessions = { places: [], deleted: new Set(), entryAt: missing },
): SessionTable {
  const sessions = new Map<string, SessionEntry | number>();
  const order = createActivityOrder(indexed.places);
  /** Rows of sessions that were looked at and not changed: those looked at last stay at hand. */
  const unchanged = new Map<string, number>();
  let keys: readonly string[] | undefined;
  let isChanged = false;
  for (const [row, { key }] of indexed.places.entries()) sessions.set(key, row);

  const activeAtOf = (key: string): string | undefined => {
    const found = sessions.get(key);
    return typeof found === 'number' ? indexed.places[found]?.activeAt : found?.meta.activeAt;
  };

  function get(key: string): SessionEntry | undefined {
    const found = sessions.get(key);
    if (typeof found !== 'number') return found;
    const entry = indexed.entryAt(found);
    sessions.set(key, entry);
    unchanged.set(key, found);
    if (unchanged.size > unchangedAtMost) letGo();
    return entry;
  }
  function letGo(): void {
    for (const [key, row] of unchanged) {
      unchanged.delete(key);
      const entry = sessions.get(key);
      if (typeof entry !== 'object' || entry.users > 0 || entry.doubt !== undefined) continue;
      sessions.set(key, row);
      return;
    }
  }
  /** The record, without keeping it where it was not used so far. */
  function glance(key: string): SessionMeta | undefined {
    const found = sessions.get(key);
    return (typeof found === 'number' ? indexed.entryAt(found) : found)?.meta;
  }
  function touch(key: string): void {
    isChanged = true;
    unchanged.delete(key);
    order.touch(key);
  }
  function* keysFrom({ order: wanted }: PageQuery, after: PagePlace | undefined): Generator<string> {
    if (wanted === 'activity') {
      yield* order.walk(activeAtOf, after);
      return;
    }
    keys ??= [...sessions.keys()].sort();
    for (let at = after === undefined ? 0 : firstAbove(keys, after.key); at < keys.length; at += 1) {
      yield keys[at] ?? '';
    }
  }

  return {
    get,
    has: (key) => sessions.has(key),
    isLive(key) {
      const found = sessions.get(key);
      if (typeof found === 'number') return !indexed.deleted.has(key);
      return found !== undefined && found.meta.deletedAt === undefined;
    },
    set(key, entry) {
      if (!sessions.has(key)) keys = undefined;
      sessions.set(key, entry);
      touch(key);
    },
    delete(key) {
      sessions.delete(key);
      keys = undefined;
      touch(key);
    },
    touch,
    hasChanged: () => isChanged,
    get size() {
      return sessions.size;
    },
    *used() {
      for (const found of sessions.values()) if (typeof found !== 'number') yield found;
    },
    rowOf(key) {
      const found = sessions.get(key);
      return typeof found === 'number' ? found : undefined;
    },
    keysByActivity: () => order.walk(activeAtOf, undefined),
    page(query, after) {
      const shown: string[] = [];
      for (const key of keysFrom(query, after)) {
        const meta = glance(key);
        if (meta === undefined || pageOf([meta], query).length === 0) continue;
        if (shown.push(key) >= query.limit) break;
      }
      return shown;
    },
  };
}

function missing(row: number): never {
  throw new Error(`There is no row ${row} without an index.`);
}

function firstAbove(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') > key) high = middle;
    else low = middle + 1;
  }
  return low;
}
