import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve as absolutePath, dirname } from 'node:path';
import { StoreFailed } from '@x/session-store';
import Database from 'better-sqlite3';
import { nativeTimeoutMs } from './patience.js';
import { asStoreError } from './sqlite-errors.js';

/**
 * Copies a database while others go on writing to it: the copy is the state of one moment, checked and safe on disk
 * when this resolves. Nothing is left where it fails. Throws `StoreFailed` where `to` exists.
 */
export async function backupSqlite(file: string, to: string): Promise<{ readonly bytes: number }> {
  const source = absolutePath(file);
  const target = absolutePath(to);
  if (existsSync(target)) {
    throw new StoreFailed(`${target} exists already. Name a new file for the backup.`, { path: target });
  }
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  let database: Database.Database | undefined;
  try {
    database = new Database(source, { readonly: true, fileMustExist: true, timeout: nativeTimeoutMs });
    // In pieces, so that the process can do something else in between.
    await database.backup(partial, { progress: () => 1000 });
    checkCopy(partial);
    await sync(partial);
    await rename(partial, target);
    await sync(dirname(target));
    return { bytes: (await stat(target)).size };
  } catch (error) {
    throw asStoreError(error, source);
  } finally {
    database?.close();
    await rm(partial, { force: true });
  }
}

function checkCopy(copy: string): void {
  // Not read only: whoever may write takes the log's files along when closing.
  const database = new Database(copy);
  try {
    const said = database.pragma('quick_check(1)', { simple: true });
    if (said !== 'ok') throw new StoreFailed(`The backup ${copy} is damaged: ${said}.`, { path: copy });
  } finally {
    database.close();
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
