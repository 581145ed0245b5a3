import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, isCode } from '../disk.js';
import { layoutOf } from '../layout.js';
import { type FolderLock, lockFolder } from '../lock.js';

/**
 * The right to write the older files of a folder. Not the lock of the newer store, whose own sub-folder may be what
 * cannot be used. Throws `StoreLocked` while a living process has it; undefined where nobody can write at all.
 */
export async function lockLegacy(
  disk: Disk,
  directory: string,
  now: () => Date,
): Promise<FolderLock | undefined> {
  const own = join(directory, '.holdfast-legacy');
  try {
    await disk.mkdir(own, { recursive: true });
  } catch (error) {
    if (isCode(error, 'EACCES', 'EPERM', 'EROFS')) return undefined;
    throw error;
  }
  // Where something is left in it, it is still needed.
  const leave = () => rmdir(own).catch(() => {});
  try {
    const lock = await lockFolder(disk, { ...layoutOf(directory), own, lock: join(own, 'lock') }, now);
    return {
      async release() {
        await lock.release();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
