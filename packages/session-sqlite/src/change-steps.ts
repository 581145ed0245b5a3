import { type Change, type Found, LeaseLost, type Need, type SessionMeta } from '@x/session-store';
import { highestSeq } from './search-index.js';
import type { SessionHead } from './session-heads.js';
import { rowCount, type SessionRow } from './session-row.js';
import type { Tables } from './tables.js';

/** Looks up what a step needs. Inside a write transaction, what PicoBot changed of these sessions is taken in first. */
export function lookUp(tables: Tables, need: Need, mayWrite: boolean): Found {
  const { fence } = need;
  if (fence !== undefined && !tables.leases.holds(fence.key, fence.token)) {
    throw new LeaseLost(
      `Session "${fence.key}": another holder has taken the lease since; nothing was written.`,
      { key: fence.key },
    );
  }
  const sessions = new Map<string, SessionMeta>();
  for (const key of need.keys) {
    const head = mayWrite ? settledHead(tables, key) : tables.heads.get(key);
    if (head !== undefined) sessions.set(key, head.meta);
  }
  const owners = new Map<string, string>();
  for (const alias of need.aliases) {
    const owner = tables.aliases.owner(alias);
    if (owner !== undefined) owners.set(alias, owner);
  }
  const seqs = new Map<string, number>();
  const [first] = need.keys;
  if (first !== undefined && sessions.has(first)) {
    for (const id of need.messageIds) {
      const seq = tables.messages.seqOf(first, id);
      if (seq !== undefined) seqs.set(id, seq);
    }
  }
  return { sessions, owners, seqs };
}

function settledHead(tables: Tables, key: string): SessionHead | undefined {
  const head = tables.heads.get(key);
  if (head === undefined || !head.isForeign) return head;
  const row = tables.sessions.find(key);
  if (row !== undefined) settle(tables, row);
  return tables.heads.get(key);
}

/** Takes in what PicoBot has done to a session: its record becomes one of ours, its messages are to be indexed. */
export function settle(tables: Tables, row: SessionRow): void {
  const { sessions, heads, messages, search } = tables;
  const meta = sessions.metaOf(row);
  const foreign = messages.foreign(row.id);
  const isOnlyMore =
    rowCount(meta) === (row.seen_message_count ?? 0) + foreign.count &&
    (foreign.first === null || foreign.first > (row.last_seq ?? 0));
  const number = sessions.write(meta, row.number);
  messages.adoptForeign(row.id);
  if (!isOnlyMore) search.forget(number, 0, highestSeq);
  const from = isOnlyMore ? foreign.first : 0;
  if (from !== null) sessions.markUnindexed(row.id, Math.min(from, row.unindexed_from ?? from));
  heads.forget(row.id);
}

/** Carries out one change, inside a write transaction. Returns how many messages search does not know of yet. */
export function apply(tables: Tables, change: Change): number {
  const { sessions, heads, messages, aliases, search } = tables;
  const { key } = change;
  const before = heads.get(key);
  if ('remove' in change) {
    removeSession(tables, key);
    return 0;
  }
  const { adopt, dropThrough, dropAfter, append = [], meta, claim = [] } = change;
  const isOnlyAppend =
    change.derived === true &&
    adopt === undefined &&
    dropThrough === undefined &&
    dropAfter === undefined &&
    before !== undefined &&
    before.number !== null &&
    !before.isOdd;
  let number = before?.number ?? null;
  if (isOnlyAppend && number !== null) sessions.writeCounts(meta);
  else number = sessions.write(meta, number);

  if (adopt !== undefined) {
    messages.move(adopt, key);
    removeSession(tables, adopt);
  }
  if (dropThrough !== undefined) {
    messages.dropThrough(key, dropThrough);
    search.forget(number, 0, dropThrough);
  }
  if (dropAfter !== undefined) {
    messages.dropAfter(key, dropAfter);
    search.forget(number, dropAfter + 1, highestSeq);
  }
  for (const message of append) messages.insert(key, number, message);
  for (const alias of claim) aliases.claim(alias, key);

  const unindexedBefore = before?.unindexedFrom ?? null;
  const unindexedFrom = adopt === undefined ? (unindexedBefore ?? append[0]?.seq ?? null) : 0;
  if (unindexedFrom !== unindexedBefore) sessions.markUnindexed(key, unindexedFrom);

  if (isOnlyAppend) heads.hold({ ...before, meta, unindexedFrom });
  else heads.forget(key);
  return append.length;
}

function removeSession({ sessions, heads, search }: Tables, key: string): void {
  const number = heads.get(key)?.number ?? null;
  if (number !== null) search.forget(number, 0, highestSeq);
  sessions.remove(key);
  heads.forget(key);
}
