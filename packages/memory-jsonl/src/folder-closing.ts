import { carryOutChanges } from './change-plan.js';
import { type FolderIndex, writeIndex } from './folder-index.js';
import { type Laggards, reportUnwritten } from './metadata-writer.js';
import { type OpenFolder, settle } from './open-folder.js';

/** Once closed, the metadata of every session says what its history bears out. */
export async function leaveMetadata(folder: OpenFolder, laggards: Laggards): Promise<void> {
  await rebuildBroken(folder);
  for (const entry of folder.entries.used()) if (entry.file === 'behind') laggards.add(entry);
  await laggards.drain();
}

/** Once closed, every session's metadata can be read again; what could not be is kept aside. */
async function rebuildBroken(folder: OpenFolder): Promise<void> {
  for (const entry of [...folder.entries.used()]) {
    if (entry.file !== 'broken') continue;
    try {
      await settle(folder, entry);
      await carryOutChanges(folder, [{ key: entry.key, meta: entry.meta }]);
    } catch (error) {
      reportUnwritten(folder, entry, error);
    }
  }
}

/** Leaves an index behind where the metadata files tell all, and nothing is in dispute. */
export async function leaveIndex(folder: OpenFolder, before: FolderIndex | undefined): Promise<void> {
  const { disk, layout, entries, aliases } = folder;
  try {
    if (before?.isCurrent === true && !entries.hasChanged())
      return await disk.rename(layout.indexAside, layout.index);
    for (const entry of entries.used()) {
      if (entry.file !== 'current' || entry.log === undefined || entry.doubt !== undefined) return;
    }
    if (![...aliases.conflicts()].length) await writeIndex(disk, layout, entries, before);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    folder.report({
      code: 'index-not-written',
      path: layout.index,
      message: `${layout.index} could not be written (${why}): the next opening reads all metadata files.`,
    });
  }
}
