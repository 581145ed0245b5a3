import type { ScanRange, StoredMessage } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { type MessageRow, messageColumns, messageOf, messageValues, writtenColumns } from './message-row.js';
import { storedId } from './stored-text.js';

/** Messages read in one go: some ten milliseconds of parsing at most, then others get their turn. */
export const rowsAtOnce = 1000;

/** The statements on `messages`. */
export interface MessageTable {
  insert(sessionId: string, sessionNumber: number, message: StoredMessage): void;
  /** At most `rowsAtOnce` of the range. */
  scan(sessionId: string, range: ScanRange): StoredMessage[];
  find(sessionId: string, seq: number): StoredMessage | undefined;
  seqOf(sessionId: string, messageId: string): number | undefined;
  dropThrough(sessionId: string, seq: number): void;
  dropAfter(sessionId: string, seq: number): void;
  move(fromId: string, toId: string): void;
  /** Those that PicoBot has added since: how many, and the lowest seq. */
  foreign(sessionId: string): { readonly count: number; readonly first: number | null };
  /** Gives those of PicoBot their own id as the id within the session. */
  adoptForeign(sessionId: string): void;
}

export function createMessageTable(database: Database): MessageTable {
  const insert = database.prepare(
    `INSERT INTO messages(${writtenColumns}) VALUES (${writtenColumns
      .split(', ')
      .map(() => '?')
      .join(', ')})`,
  );
  const scan = (order: 'ASC' | 'DESC') =>
    database
      .prepare<[string, number, number, number], MessageRow>(
        `SELECT ${messageColumns} FROM messages m
         WHERE m.session_id = ? AND m.seq > ? AND m.seq < ? ORDER BY m.seq ${order} LIMIT ?`,
      )
      .raw();
  const ascending = scan('ASC');
  const descending = scan('DESC');
  const seqOf = database
    .prepare<[string, string], number>(
      'SELECT seq FROM messages WHERE session_id = ? AND message_id = ? LIMIT 1',
    )
    .pluck();
  const dropThrough = database.prepare('DELETE FROM messages WHERE session_id = ? AND seq <= ?');
  const dropAfter = database.prepare('DELETE FROM messages WHERE session_id = ? AND seq > ?');
  const move = database.prepare('UPDATE messages SET session_id = ? WHERE session_id = ?');
  const foreign = database.prepare<[string], { count: number; first: number | null }>(
    `SELECT count(*) AS count, min(seq) AS first FROM messages INDEXED BY messages_foreign
     WHERE session_id = ? AND message_id IS NULL`,
  );
  const adoptForeign = database.prepare(
    'UPDATE messages SET message_id = id WHERE session_id = ? AND message_id IS NULL',
  );

  return {
    insert(sessionId, sessionNumber, message) {
      insert.run(...messageValues(sessionId, sessionNumber, message));
    },
    scan(sessionId, { after, before, limit, order }) {
      const statement = order === 'asc' ? ascending : descending;
      return statement.all(sessionId, after, before, Math.min(limit, rowsAtOnce)).map(messageOf);
    },
    find(sessionId, seq) {
      const [row] = ascending.all(sessionId, seq - 1, seq + 1, 1);
      return row === undefined ? undefined : messageOf(row);
    },
    seqOf: (sessionId, messageId) => seqOf.get(sessionId, storedId(messageId)),
    dropThrough: (sessionId, seq) => void dropThrough.run(sessionId, seq),
    dropAfter: (sessionId, seq) => void dropAfter.run(sessionId, seq),
    move: (fromId, toId) => void move.run(toId, fromId),
    foreign: (sessionId) => foreign.get(sessionId) ?? { count: 0, first: null },
    adoptForeign: (sessionId) => void adoptForeign.run(sessionId),
  };
}
