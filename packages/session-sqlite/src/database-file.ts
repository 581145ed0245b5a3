import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFailed } from '@x/session-store';
import Database from 'better-sqlite3';
import { nativeTimeoutMs, patiently } from './patience.js';
import { migrate, schemaVersion, versionOf } from './schema.js';
import { folded } from './search-index.js';
import { asStoreError, isBusy } from './sqlite-errors.js';

export interface OpenRequest {
  readonly file: string;
  readonly synchronous: 'full' | 'normal';
  readonly readOnly: boolean;
  readonly patienceMs: number;
}

/** Opens a file and brings its tables up to date; a file that only is read stays as it is, to the last byte. */
export async function openDatabase(request: OpenRequest): Promise<Database.Database> {
  const { file, readOnly, patienceMs } = request;
  if (file === '')
    throw new StoreFailed('The file of the SQLite store has no name. Name one, or ":memory:".');
  let database: Database.Database | undefined;
  try {
    const opened = connect(file, readOnly);
    database = opened;
    opened.pragma('foreign_keys = ON');
    if (readOnly) database = await patiently(file, patienceMs, () => readable(opened, file));
    else {
      await patiently(file, patienceMs, () => opened.pragma('journal_mode = WAL'));
      // Said again: in WAL mode this build's default is NORMAL, which a power cut can make forget.
      opened.pragma(`synchronous = ${request.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
      opened.pragma(`journal_size_limit = ${8 * 1024 * 1024}`);
      await patiently(file, patienceMs, () => migrate(opened, file));
    }
    defineFunctions(database);
    return database;
  } catch (error) {
    database?.close();
    throw asStoreError(error, file);
  }
}

function connect(file: string, readOnly: boolean): Database.Database {
  try {
    if (file !== ':memory:' && !readOnly) mkdirSync(dirname(file), { recursive: true });
    return new Database(file, {
      timeout: nativeTimeoutMs,
      readonly: readOnly,
      fileMustExist: readOnly,
    });
  } catch (cause) {
    // Thrown by the library before the engine is asked: a folder that is not there.
    if (cause instanceof TypeError || (cause instanceof Error && 'syscall' in cause)) {
      throw new StoreFailed(`${file} cannot be opened: ${cause.message}`, { path: file, cause });
    }
    throw cause;
  }
}

/** An older schema cannot be read as it is, and must not be changed: a copy in memory is brought up to date. */
function readable(database: Database.Database, file: string): Database.Database {
  if (versionOf(database, file) === schemaVersion) return database;
  const image = database.serialize();
  // The header of a file in WAL mode says so; a database in memory has no log.
  image[18] = 1;
  image[19] = 1;
  const copy = new Database(image);
  database.close();
  migrate(copy, file);
  return copy;
}

/** Functions that only queries use: none stands in the schema, where PicoBot would miss it. */
export function defineFunctions(database: Database.Database): void {
  const pure = { deterministic: true, directOnly: true };
  database.function('holdfast_lower', pure, (text) => (typeof text === 'string' ? text.toLowerCase() : ''));
  database.function('holdfast_folded', pure, (text) => (typeof text === 'string' ? folded(text) : ''));
}

/** Bytes of the write-ahead log. */
export function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Brings the log into the database and cuts it, as far as others allow. */
export function checkpoint(database: Database.Database): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
