import type { SessionMeta } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { type Recount, readMeta } from './foreign-change.js';
import { rowCount, type SessionRow, sessionColumns, sessionValues } from './session-row.js';
import { unixOf } from './unix-time.js';

/** The columns of a `SessionRow`. The highest seq is one step in an index. */
export const sessionFields = `s.id, s.title, s.channel_name, s.summary, s.created_at, s.updated_at, s.last_active_at,
  s.archived_at, s.deleted_at, s.message_count, s.reset_cutoff_seq, s.user_turn_count,
  s.agent_prompt_reinjection_count, s.number, s.agent_id, s.scope_json, s.aliases_json, s.last_seq, s.active_count,
  s.interaction_at, s.segment_started_at, s.bin_json, s.segments_json, s.attributes_json, s.revision, s.unknown_json,
  s.seen_updated_at, s.seen_message_count, s.seen_cutoff_seq, s.unindexed_from,
  (SELECT max(seq) FROM messages WHERE session_id = s.id) AS top_seq`;

/** The statements on `sessions`. */
export interface SessionTable {
  find(key: string): SessionRow | undefined;
  /** The record of a row, with what others have changed taken in. */
  metaOf(row: SessionRow): SessionMeta;
  /** Writes the whole record and returns the session's number. */
  write(meta: SessionMeta, number: number | null): number;
  /** Writes only what an append changes. */
  writeCounts(meta: SessionMeta): void;
  markUnindexed(id: string, fromSeq: number | null): void;
  remove(id: string): void;
  /** Rows that others have changed. */
  foreign(limit: number): readonly SessionRow[];
  hasForeign(): boolean;
}

export function createSessionTable(database: Database, recount: Recount): SessionTable {
  const find = database.prepare<[string], SessionRow>(
    `SELECT ${sessionFields} FROM sessions s WHERE s.id = ?`,
  );
  const replaced = ['number', ...sessionColumns.slice(1)];
  const write = database.prepare(
    `INSERT INTO sessions(id, number, ${sessionColumns.join(', ')})
     VALUES (?, ?, ${sessionColumns.map(() => '?').join(', ')})
     ON CONFLICT(id) DO UPDATE SET ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
  const writeCounts = database.prepare(
    `UPDATE sessions SET updated_at = ?, last_active_at = ?, archived_at = NULL, message_count = ?,
       user_turn_count = ?, agent_prompt_reinjection_count = ?, last_seq = ?, active_count = ?, interaction_at = ?,
       segment_started_at = ?, revision = ?, seen_updated_at = ?, seen_message_count = ?
     WHERE id = ?`,
  );
  const markUnindexed = database.prepare('UPDATE sessions SET unindexed_from = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
  const nextNumber = database
    .prepare<[], number>('UPDATE session_numbers SET last = last + 1 RETURNING last')
    .pluck();
  const changed = `s.seen_updated_at IS NOT s.updated_at OR s.seen_message_count IS NOT s.message_count
         OR s.seen_cutoff_seq IS NOT s.reset_cutoff_seq`;
  const foreign = database.prepare<[number], SessionRow>(
    `SELECT ${sessionFields} FROM sessions s INDEXED BY sessions_foreign WHERE ${changed} LIMIT ?`,
  );
  const hasForeign = database
    .prepare<[], number>(
      `SELECT EXISTS(SELECT 1 FROM sessions s INDEXED BY sessions_foreign WHERE ${changed})`,
    )
    .pluck();

  return {
    find: (key) => find.get(key),
    metaOf: (row) => readMeta(row, recount),
    write(meta, numberBefore) {
      const number = numberBefore ?? nextNumber.get() ?? 0;
      const values = sessionValues(meta);
      write.run(meta.key, number, ...sessionColumns.map((column) => values[column]));
      return number;
    },
    writeCounts(meta) {
      const updatedAt = unixOf(meta.updatedAt);
      const messageCount = rowCount(meta);
      writeCounts.run(
        updatedAt,
        unixOf(meta.activeAt),
        messageCount,
        meta.userTurns,
        meta.promptInjections,
        meta.lastSeq,
        meta.activeCount,
        meta.interactionAt === undefined ? null : unixOf(meta.interactionAt),
        meta.segmentStartedAt === undefined ? null : unixOf(meta.segmentStartedAt),
        meta.revision,
        updatedAt,
        messageCount,
        meta.key,
      );
    },
    markUnindexed: (id, fromSeq) => void markUnindexed.run(fromSeq, id),
    remove: (id) => void remove.run(id),
    foreign: (limit) => foreign.all(limit),
    hasForeign: () => hasForeign.get() === 1,
  };
}
