import { resolve as absolutePath } from 'node:path';
import { StoreFailed, Unsupported } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { checkpoint, openDatabase } from './database-file.js';
import { patiently } from './patience.js';
import { createWriteQueue, type WriteQueue } from './write-queue.js';

export interface SqliteFileOptions {
  /** The database, PicoBot's or ours, made where it is missing; `:memory:` for one that is gone at `close`. */
  readonly file: string;
  /** `full` (default): what was acknowledged survives a power cut. `normal`: only the death of the process, but faster. */
  readonly synchronous?: 'full' | 'normal';
  /** How long a call waits while another program holds the file, in milliseconds. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** Writes nothing. A file of an older schema is shown as it was when opened. Default false. */
  readonly readOnly?: boolean;
}

/**
 * An open database. Whatever stands on it (sessions, memories, jobs …) shares one connection: who writes at the same
 * time shares a transaction and its sync. Whoever opened it closes it, after what stands on it.
 */
export interface SqliteFile {
  /** Absolute, or `:memory:`. */
  readonly path: string;
  readonly readOnly: boolean;
  close(): Promise<void>;
}

/** What the tables of this package need of an open file. */
export interface FileAccess {
  readonly database: Database;
  readonly path: string;
  readonly readOnly: boolean;
  readonly synchronous: 'full' | 'normal';
  /** Reads, again where another connection is in the way. */
  read<T>(task: () => T): Promise<T>;
  /** As `WriteQueue.write`; rejects with `Unsupported` where the file is only to be read. */
  write<T>(plan: () => () => T, key?: string): Promise<T>;
  /** Also takes what is written to the copy in memory that an older schema is read from. */
  readonly queue: WriteQueue;
  /** Calls the listener when what was written over this connection is not there after all. */
  onRollback(listener: () => void): void;
}

const opened = new WeakMap<SqliteFile, FileAccess>();

/**
 * Opens the file and brings its tables up to date. Throws `StoreFailed` where it cannot be opened or belongs to another
 * program, `StoreCorrupt` where it is no database, `StoreLocked` where another program holds it too long.
 */
export async function openSqliteFile(options: SqliteFileOptions): Promise<SqliteFile> {
  const { synchronous = 'full', readOnly = false, busyTimeoutMs: patienceMs = 10_000 } = options;
  const path = options.file === ':memory:' || options.file === '' ? options.file : absolutePath(options.file);
  const database = await openDatabase({ file: path, synchronous, readOnly, patienceMs });
  const listeners: (() => void)[] = [];
  const queue = createWriteQueue(database, path, patienceMs, () => {
    for (const listener of listeners) listener();
  });
  const file: SqliteFile = {
    path,
    readOnly,
    async close() {
      if (!database.open) return;
      try {
        await queue.idle();
        if (!readOnly) checkpoint(database);
      } finally {
        database.close();
      }
    },
  };
  opened.set(file, {
    database,
    path,
    readOnly,
    synchronous,
    read: (task) => patiently(path, patienceMs, task),
    async write(plan, key) {
      if (readOnly) throw readOnlyError(path);
      return queue.write(plan, key);
    },
    queue,
    onRollback: (listener) => void listeners.push(listener),
  });
  return file;
}

/** The inside of an open file. */
export function accessTo(file: SqliteFile): FileAccess {
  const access = opened.get(file);
  if (access !== undefined) return access;
  throw new StoreFailed('This is no file that openSqliteFile has opened.');
}

export function readOnlyError(path: string): Unsupported {
  return new Unsupported(`${path} was opened to be read only.`, { path });
}
