import type { SessionMeta } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { inOrder, isForeign, type SessionRow } from './session-row.js';
import type { SessionTable } from './session-table.js';

/** What is needed of a session to answer for it and to write to it. */
export interface SessionHead {
  readonly meta: SessionMeta;
  /** Null on a session of PicoBot's that was not settled yet. */
  readonly number: number | null;
  readonly unindexedFrom: number | null;
  /** Its record has fields that an append could contradict: it is always written whole. */
  readonly isOdd: boolean;
  /** PicoBot has changed it since: to be settled before it is written to. */
  readonly isForeign: boolean;
}

/**
 * Records of sessions in use, so that not each look at one reads and parses its row. Invariant: what is held is what
 * the file says. A commit of another connection changes `data_version`, and nothing is held any more; whoever changes
 * a row over this connection says so here, and so does a rollback.
 */
export interface SessionHeads {
  get(key: string): SessionHead | undefined;
  /** Those that are there, in the order of the keys. */
  all(keys: readonly string[]): readonly SessionHead[];
  hold(head: SessionHead): void;
  forget(key: string): void;
  forgetAll(): void;
}

/** About a megabyte and a half. */
const heldAtMost = 1000;

export function createSessionHeads(database: Database, sessions: SessionTable): SessionHeads {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  const held = new Map<string, SessionHead>();
  let seen: number | undefined;

  function checkVersion(): void {
    const now = version.get();
    if (now !== seen) held.clear();
    seen = now;
  }

  function find(key: string): SessionHead | undefined {
    const known = held.get(key);
    if (known !== undefined) return known;
    const row = sessions.find(key);
    if (row === undefined) return undefined;
    const head = headOf(row, frozen(sessions.metaOf(row)));
    hold(head);
    return head;
  }

  function hold(head: SessionHead): void {
    held.delete(head.meta.key);
    held.set(head.meta.key, head);
    if (held.size <= heldAtMost) return;
    for (const oldest of held.keys()) {
      held.delete(oldest);
      return;
    }
  }

  return {
    get(key) {
      checkVersion();
      return find(key);
    },
    all(keys) {
      checkVersion();
      return keys.map(find).filter((head) => head !== undefined);
    },
    hold: (head) => hold({ ...head, meta: frozen(inOrder(head.meta)) }),
    forget: (key) => void held.delete(key),
    forgetAll: () => held.clear(),
  };
}

function headOf(row: SessionRow, meta: SessionMeta): SessionHead {
  return {
    meta,
    number: row.number,
    unindexedFrom: row.unindexed_from,
    isOdd: row.unknown_json !== null,
    isForeign: isForeign(row),
  };
}

/** So that no caller can change what others are given. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
