import { type Change, type Found, LeaseLost, type Need, type SessionMeta } from '@x/session-store';
import { highestSeq } from './search-index.js';
import { isForeign, rowCount, type SessionRow } from './session-row.js';
import type { Tables } from './tables.js';

/** What one step has looked up: what `decide` sees, and the rows behind it. */
export interface LookedUp {
  readonly found: Found;
  readonly rows: Map<string, SessionRow | undefined>;
}

/** Looks up, inside a write transaction. What PicoBot changed of these sessions is taken in first. */
export function lookUp(tables: Tables, need: Need): LookedUp {
  const { fence } = need;
  if (fence !== undefined && !tables.leases.holds(fence.key, fence.token)) {
    throw new LeaseLost(
      `Session "${fence.key}": another holder has taken the lease since; nothing was written.`,
      { key: fence.key },
    );
  }
  const rows = new Map<string, SessionRow | undefined>();
  const sessions = new Map<string, SessionMeta>();
  for (const key of need.keys) {
    const row = settledRow(tables, key);
    rows.set(key, row);
    const meta = row === undefined ? undefined : tables.sessions.metaOf(row);
    if (meta !== undefined) sessions.set(key, meta);
  }
  const owners = new Map<string, string>();
  for (const alias of need.aliases) {
    const owner = tables.aliases.owner(alias);
    if (owner !== undefined) owners.set(alias, owner);
  }
  const seqs = new Map<string, number>();
  const [first] = need.keys;
  if (first !== undefined && rows.get(first) !== undefined) {
    for (const id of need.messageIds) {
      const seq = tables.messages.seqOf(first, id);
      if (seq !== undefined) seqs.set(id, seq);
    }
  }
  return { found: { sessions, owners, seqs }, rows };
}

function settledRow(tables: Tables, key: string): SessionRow | undefined {
  const row = tables.sessions.find(key);
  if (row === undefined || !isForeign(row)) return row;
  settle(tables, row);
  return tables.sessions.find(key);
}

/** Takes in what PicoBot has done to a session: its record becomes one of ours, its messages are to be indexed. */
export function settle(tables: Tables, row: SessionRow): void {
  const { sessions, messages, search } = tables;
  const meta = sessions.metaOf(row);
  const foreign = messages.foreign(row.id);
  const isOnlyMore =
    rowCount(meta) === (row.seen_message_count ?? 0) + foreign.count &&
    (foreign.first === null || foreign.first > (row.last_seq ?? 0));
  const number = sessions.write(meta, row);
  messages.adoptForeign(row.id);
  if (!isOnlyMore) search.forget(number, 0, highestSeq);
  const from = isOnlyMore ? foreign.first : 0;
  if (from !== null) sessions.markUnindexed(row.id, Math.min(from, row.unindexed_from ?? from));
}

/** Carries out one change, inside a write transaction. Returns the messages that the search index does not know yet. */
export function apply(tables: Tables, change: Change, rows: LookedUp['rows']): number {
  const { sessions, messages, aliases, search } = tables;
  const id = change.key;
  const before = rows.has(change.key) ? rows.get(change.key) : sessions.find(change.key);
  if ('remove' in change) {
    if (before?.number != null) search.forget(before.number, 0, highestSeq);
    sessions.remove(id);
    rows.set(change.key, undefined);
    return 0;
  }

  const { adopt, dropThrough, dropAfter, append = [], meta, claim = [] } = change;
  const isOnlyAppend = adopt === undefined && dropThrough === undefined && dropAfter === undefined;
  let number = before?.number ?? null;
  if (isOnlyAppend && change.derived === true && number !== null && before?.unknown_json === null) {
    sessions.writeCounts(meta);
  } else {
    number = sessions.write(meta, before);
  }
  let unindexedFrom = before?.unindexed_from ?? undefined;
  if (adopt !== undefined) {
    const source = rows.has(adopt) ? rows.get(adopt) : sessions.find(adopt);
    messages.move(adopt, id);
    if (source?.number != null) search.forget(source.number, 0, highestSeq);
    sessions.remove(adopt);
    rows.set(adopt, undefined);
    unindexedFrom = 0;
  }
  if (dropThrough !== undefined) {
    messages.dropThrough(id, dropThrough);
    search.forget(number, 0, dropThrough);
  }
  if (dropAfter !== undefined) {
    messages.dropAfter(id, dropAfter);
    search.forget(number, dropAfter + 1, highestSeq);
  }
  for (const message of append) messages.insert(id, number, message);
  for (const alias of claim) aliases.claim(alias, id);

  unindexedFrom ??= append[0]?.seq;
  if (unindexedFrom !== undefined && unindexedFrom !== before?.unindexed_from) {
    sessions.markUnindexed(id, unindexedFrom);
  }
  rows.delete(change.key);
  return append.length;
}
