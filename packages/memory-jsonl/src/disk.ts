import {
  type Dirent,
  fstatSync,
  readdirSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import * as files from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Every call to the file system, handed in so that a test can make any of them fail. Those with `Now` are answered
 * from memory, mostly in a few microseconds: to hand them to a thread would cost more than they do.
 */
export interface Disk
  extends Pick<typeof files, 'open' | 'mkdir' | 'rename' | 'unlink' | 'readdir' | 'stat' | 'link'> {
  /** Returns how many bytes were written; without a position at the end of a file that was opened for appending. */
  writeNow(file: files.FileHandle, bytes: Uint8Array, position?: number): number;
  measureNow(file: files.FileHandle): Stats;
  /** Undefined where there is nothing of that name. */
  statNow(path: string): Stats | undefined;
  readNow(path: string): Buffer;
  /** Returns how many bytes were read: fewer where the file ends. */
  readAtNow(file: files.FileHandle, into: Buffer, offset: number, length: number, position: number): number;
  listNow(path: string): Dirent[];
}

export const nodeDisk: Disk = {
  open: files.open,
  mkdir: files.mkdir,
  rename: files.rename,
  unlink: files.unlink,
  readdir: files.readdir,
  stat: files.stat,
  link: files.link,
  writeNow: (file, bytes, position) => writeSync(file.fd, bytes, 0, bytes.length, position ?? null),
  measureNow: (file) => fstatSync(file.fd),
  statNow: (path) => statSync(path, { throwIfNoEntry: false }),
  readNow: (path) => readFileSync(path),
  readAtNow: (file, into, offset, length, position) => readSync(file.fd, into, offset, length, position),
  listNow: (path) => readdirSync(path, { withFileTypes: true }),
};

/** True for an error of the file system with this code. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Writes a file that was not there, and syncs its content. Its name is safe only after `syncFolder`. */
export async function writeSynced(disk: Disk, path: string, content: string | Uint8Array): Promise<void> {
  const file = await disk.open(path, 'wx');
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes names that were created, renamed or removed in the folder survive a power cut. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  // Windows opens no folders; its file systems journal names by themselves.
  if (process.platform === 'win32') return;
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves a file over another; false where there was none to move. Both folders are synced. */
export async function moveSynced(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.rename(from, to);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
  await syncFolder(disk, dirname(to));
  return true;
}

/** Removes a file; false where there was none. The folder is synced. */
export async function removeSynced(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.unlink(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
  await syncFolder(disk, dirname(path));
  return true;
}
