import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, isCode, nodeDisk, syncFolder } from '../disk.js';
import { digestOf } from './legacy-file.js';
import { lockLegacy } from './legacy-lock.js';
import type { LegacyCopy, LegacyMigration } from './migration.js';
import { readTaken, writeTaken } from './taken-record.js';

export interface Sealing {
  /** Files that bear the ending `.migrated` now. */
  readonly sealed: readonly string[];
  /** Files that could not be renamed, or have changed since. The next run tries again and takes nothing twice. */
  readonly unsealed: readonly { readonly file: string; readonly reason: string }[];
}

/**
 * Makes a migration final: writes down what was taken, by digest, then renames each file to `*.json.migrated`.
 * Where it rejects, nothing is final and nothing is renamed; once it is written down, a rename that fails is only
 * reported, since the file will not be taken again. `StoreLocked` while a process runs on the older files.
 */
export async function sealMigration(
  directory: string,
  migration: LegacyMigration,
  disk: Disk = nodeDisk,
): Promise<Sealing> {
  const copies = [...migration.copied, ...migration.present];
  if (copies.length === 0) return { sealed: [], unsealed: [] };
  const lock = await lockLegacy(disk, directory, () => new Date());
  try {
    return await sealCopies(disk, directory, copies);
  } finally {
    await lock?.release();
  }
}

async function sealCopies(disk: Disk, directory: string, copies: readonly LegacyCopy[]): Promise<Sealing> {
  const before = await readTaken(directory);
  const fresh = copies.filter(({ digest }) => !before.has(digest));
  if (fresh.length > 0)
    await writeTaken(
      disk,
      directory,
      new Map([...before, ...fresh.map(({ digest, file }) => [digest, file] as const)]),
    );

  const sealed: string[] = [];
  const unsealed: { file: string; reason: string }[] = [];
  for (const { file, digest } of copies) {
    try {
      if (digestOf(await readFile(join(directory, file))) !== digest)
        throw new Error('it has changed since it was read');
      await disk.rename(
        join(directory, file),
        join(directory, await freeName(disk, directory, file, digest)),
      );
      sealed.push(file);
    } catch (error) {
      unsealed.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  if (sealed.length > 0) await syncFolder(disk, directory).catch(() => {});
  return { sealed, unsealed };
}

/** What was sealed before under that name stays. */
async function freeName(disk: Disk, directory: string, file: string, digest: string): Promise<string> {
  const usual = `${file}.migrated`;
  try {
    await disk.stat(join(directory, usual));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return usual;
    throw error;
  }
  return `${usual}-${digest.slice(0, 16)}`;
}
