import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSqliteFile, type SqliteFile } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import { makeDataFolder } from '../data-folder.js';

/** Reads beside a running gateway what is kept beside the sessions. Undefined where nothing is yet. */
export async function readingOperations<T>(
  configuration: Configuration,
  read: (file: SqliteFile | undefined) => Promise<T>,
): Promise<T> {
  const path = dataLayout(configuration).operations;
  return existsSync(path)
    ? within(await openSqliteFile({ file: path, readOnly: true }), read)
    : read(undefined);
}

/** Changes it; a running gateway sees the change at once, since all share the file. */
export async function writingOperations<T>(
  configuration: Configuration,
  write: (file: SqliteFile) => Promise<T>,
): Promise<T> {
  const path = dataLayout(configuration).operations;
  makeDataFolder(configuration.data, dirname(path));
  return within(await openSqliteFile({ file: path }), write);
}

async function within<T>(file: SqliteFile, task: (file: SqliteFile) => Promise<T>): Promise<T> {
  try {
    return await task(file);
  } finally {
    await file.close();
  }
}
