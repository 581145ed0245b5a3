import * as files from 'node:fs/promises';
import { dirname } from 'node:path';

/** The calls that writing stands on, handed in so that a test can make any of them fail. */
export type Disk = Pick<typeof files, 'open' | 'mkdir' | 'rename' | 'unlink' | 'readdir' | 'stat' | 'link'>;

export const nodeDisk: Disk = files;

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
