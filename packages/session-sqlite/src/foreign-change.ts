import type { SessionMeta } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { isForeign, metaOf, type SessionRow } from './session-row.js';

/*
 * PicoBot keeps its own columns and knows nothing of ours. Each record therefore remembers what PicoBot's columns
 * were when it was written; where they have moved on, what ours say is counted anew from the messages.
 */

/** What the messages of a session say by themselves. Costs a pass over the session's index. */
interface Counted {
  readonly total: number;
  readonly active: number;
  readonly binned: number;
  readonly personAt: number | null;
  readonly segmentAt: number | null;
}

export type Recount = (row: SessionRow, binnedThrough: number) => Counted;

export function createRecount(database: Database): Recount {
  const count = database.prepare<[number, number, string], { total: number; active: number; binned: number }>(
    `SELECT count(*) AS total, coalesce(sum(seq > ?), 0) AS active, coalesce(sum(seq <= ?), 0) AS binned
     FROM messages WHERE session_id = ?`,
  );
  const lastOfPerson = database
    .prepare<[string, number], number>(
      `SELECT created_at FROM messages WHERE session_id = ? AND seq > ? AND role = 'user' ORDER BY seq DESC LIMIT 1`,
    )
    .pluck();
  const firstActive = database
    .prepare<[string, number], number>(
      'SELECT created_at FROM messages WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT 1',
    )
    .pluck();
  return (row, binnedThrough) => ({
    ...(count.get(row.reset_cutoff_seq, binnedThrough, row.id) ?? { total: 0, active: 0, binned: 0 }),
    personAt: lastOfPerson.get(row.id, row.last_seq ?? 0) ?? null,
    segmentAt: firstActive.get(row.id, row.reset_cutoff_seq) ?? null,
  });
}

/** The record of a row, with what others have changed taken in. */
export function readMeta(row: SessionRow, recount: Recount): SessionMeta {
  return isForeign(row) ? metaOf(recounted(row, recount)) : metaOf(row);
}

/** The row as this program would have written it. The revision rises by the messages that came, or by 1. */
function recounted(row: SessionRow, recount: Recount): SessionRow {
  const bin =
    row.bin_json === null ? undefined : (JSON.parse(row.bin_json) as NonNullable<SessionMeta['bin']>);
  const counted = recount(row, bin?.throughSeq ?? 0);
  const lastSeq = row.last_seq ?? 0;
  const arrived = Math.max(0, (row.top_seq ?? 0) - lastSeq);
  return {
    ...row,
    message_count: counted.total,
    active_count: counted.active,
    last_seq: lastSeq + arrived,
    interaction_at: counted.personAt ?? row.interaction_at,
    segment_started_at: counted.segmentAt,
    bin_json: bin === undefined ? null : JSON.stringify({ ...bin, count: counted.binned }),
    revision: (row.revision ?? 1) + (arrived > 0 || row.revision === null ? arrived : 1),
  };
}
