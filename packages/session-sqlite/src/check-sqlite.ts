import { resolve as absolutePath } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from './database-file.js';
import { schemaVersion, versionOf } from './schema.js';
import { asStoreError } from './sqlite-errors.js';

/** Something that is wrong in a database. */
export interface SqliteProblem {
  /**
   * - `damaged`: the engine's own check found the file inconsistent; restore a backup, or rescue with `.recover`.
   * - `orphan`: a row that belongs to a session that is not there.
   * - `wrong-count`: `message_count` is not the number of the session's messages; put right at the next write to it.
   * - `seq-order`: a message has a seq higher than the session ever gave; put right at the next write to it.
   * - `damaged-index`: search may miss something.
   */
  readonly code: 'damaged' | 'orphan' | 'wrong-count' | 'seq-order' | 'damaged-index';
  /** The file. */
  readonly path: string;
  readonly key?: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

/**
 * Looks through a whole database without changing it, PicoBot's too. Takes as long as reading it does, and blocks the
 * process meanwhile. Throws as `openSqliteDriver` does, where the file cannot be opened.
 */
export async function checkSqlite(file: string): Promise<readonly SqliteProblem[]> {
  const path = absolutePath(file);
  const database = await openDatabase({
    file: path,
    synchronous: 'full',
    readOnly: true,
    patienceMs: 10_000,
  });
  try {
    return [
      ...engineProblems(database, path),
      ...(versionOf(database, path) === schemaVersion ? recordProblems(database, path) : []),
    ];
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    database.close();
  }
}

function engineProblems(database: Database.Database, path: string): SqliteProblem[] {
  try {
    const said = database.prepare<[], string>('PRAGMA integrity_check(20)').pluck().all();
    return said
      .filter((sentence) => sentence !== 'ok')
      .map((sentence) => ({
        code: sentence.includes('message_search') ? 'damaged-index' : 'damaged',
        path,
        message: sentence,
      }));
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return [{ code: 'damaged', path, message: error.message }];
  }
}

function recordProblems(database: Database.Database, path: string): SqliteProblem[] {
  const orphans = database
    .prepare<[], { table: string; rowid: number | null }>('PRAGMA foreign_key_check')
    .all();
  const counts = database
    .prepare<[], { id: string; message_count: number; total: number; last_seq: number | null; top: number }>(
      `SELECT s.id, s.message_count, s.last_seq, count(m.seq) AS total, coalesce(max(m.seq), 0) AS top
       FROM sessions s LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id
       HAVING total <> s.message_count OR top > coalesce(s.last_seq, top)`,
    )
    .all();
  return [
    ...orphans.map(
      ({ table, rowid }): SqliteProblem => ({
        code: 'orphan',
        path,
        message: `Row ${rowid ?? '?'} of ${table} belongs to a session that is not there.`,
      }),
    ),
    ...counts.map(({ id, message_count, total, last_seq, top }): SqliteProblem => {
      const key = id;
      return total === message_count
        ? {
            code: 'seq-order',
            path,
            key,
            message: `Session "${key}" has a message ${top}, after its last, ${last_seq}.`,
          }
        : {
            code: 'wrong-count',
            path,
            key,
            message: `Session "${key}" says ${message_count} messages and has ${total}.`,
          };
    }),
  ];
}
