import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whenMissing } from '../missing-file.js';
import { isFolderStore, type StoreReference } from '../stores/store-reference.js';

/** Room that a store's sessions take, in bytes: what would come back if they were gone. */
export async function storeBytes(store: StoreReference): Promise<number> {
  return isFolderStore(store) ? folderBytes(store.path) : databaseBytes(store.path);
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += isCopy(entry.name) ? 0 : await folderBytes(path);
    else if (entry.isFile()) bytes += await fileBytes(path);
  }
  return bytes;
}

/** The doctor's copies of what it mended: they stay, whatever sessions go. */
const isCopy = (name: string): boolean => name.startsWith('backup-');

/** A file may be gone between the list and the look. */
async function fileBytes(path: string): Promise<number> {
  return lstat(path).then(({ size }) => size, whenMissing(0));
}

const HEADER_BYTES = 40;

/**
 * Pages in use. A database file does not shrink when rows go: what is free in it is not counted, or whatever was
 * removed would never be enough. The places are those of SQLite's file header.
 */
async function databaseBytes(path: string): Promise<number> {
  const file = await open(path, 'r').catch(whenMissing(undefined));
  if (file === undefined) return 0;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES) return 0;
    const pageSize = buffer.readUInt16BE(16);
    const pages = buffer.readUInt32BE(28);
    const free = buffer.readUInt32BE(36);
    // 1 stands for 65,536, which two bytes cannot hold.
    return (pages - free) * (pageSize === 1 ? 65_536 : pageSize);
  } finally {
    await file.close();
  }
}
