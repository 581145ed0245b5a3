import { constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreFailed } from '@x/session-store';
import type Database from 'better-sqlite3';
import { fileStamp } from './transcript-file.js';

/**
 * A database to be read and never touched. While a program has it open it is read where it lies, beside that program;
 * nobody having it, a copy is read, since the engine would leave files beside one that it opens.
 */
export interface DatabaseCopy {
  all<Row>(sql: string, ...values: readonly unknown[]): readonly Row[];
  has(table: string): boolean;
  /** Another text whenever something was written. */
  stamp(): string;
  close(): void;
}

const triesAtMost = 5;

export async function openForReading(path: string): Promise<DatabaseCopy> {
  for (let tries = 1; ; tries += 1) {
    const isInUse = existsSync(`${path}-wal`);
    const stamp = fileStamp(path);
    const folder = isInUse ? undefined : mkdtempSync(join(tmpdir(), 'holdfast-openclaw-'));
    const place = folder === undefined ? path : join(folder, 'agent.sqlite');
    const drop = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
    try {
      if (!isInUse) await copyFile(path, place, constants.COPYFILE_FICLONE);
      const moved = fileStamp(path) !== stamp || existsSync(`${path}-wal`) !== isInUse;
      // Written while it was copied: half of it may be old.
      if (!isInUse && moved && tries < triesAtMost) {
        drop();
        continue;
      }
      return await opened(path, place, stamp, drop);
    } catch (error) {
      drop();
      throw error;
    }
  }
}

async function opened(path: string, place: string, stamp: string, drop: () => void): Promise<DatabaseCopy> {
  // A native module: whoever has folders of files only does not load it.
  const { default: Engine } = await import('better-sqlite3');
  let database: Database.Database | undefined;
  try {
    database = new Engine(place, { readonly: true, fileMustExist: true });
    const version: unknown = database.prepare('PRAGMA data_version').pluck().get();
    if (typeof version !== 'number') throw new Error('It answers no question.');
    const tables = tablesOf(database);
    for (const table of ['session_nodes', 'session_windows', 'transcript_events'])
      if (!tables.has(table))
        throw new Error(`It has no table ${table}: it is of a version that is not known here.`);
    return reader(database, path, place, stamp, tables, drop);
  } catch (cause) {
    database?.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreFailed(`The database ${path} cannot be read: ${why}`, { path, cause });
  }
}

function tablesOf(database: Database.Database): ReadonlySet<string> {
  return new Set(
    database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[],
  );
}

function reader(
  database: Database.Database,
  path: string,
  place: string,
  stamp: string,
  tables: ReadonlySet<string>,
  drop: () => void,
): DatabaseCopy {
  const version = database.prepare('PRAGMA data_version').pluck();
  return {
    all<Row>(sql: string, ...values: readonly unknown[]) {
      return database.prepare(sql).all(...values) as Row[];
    },
    has: (table) => tables.has(table),
    stamp: () =>
      place === path ? `open:${version.get()}` : `${fileStamp(path)}:${existsSync(`${path}-wal`)}:${stamp}`,
    close() {
      database.close();
      drop();
    },
  };
}
