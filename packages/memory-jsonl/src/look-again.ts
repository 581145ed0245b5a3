import { decodeMeta } from './meta-file.js';
import { type OpenFolder, settle } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

/** Takes over what another program has done to a session. */
export async function lookAgain(folder: OpenFolder, entry: SessionEntry): Promise<void> {
  const { disk, layout, files, ids } = folder;
  const path = layout.history(entry.name);
  const held = await files.read(path, async (file) => disk.measureNow(file));
  const there = disk.statNow(path);
  await files.forget(path);
  ids.forget(entry);
  const isLonger =
    held !== undefined && there !== undefined && held.ino === there.ino && there.size >= entry.fileSize;
  if (isLonger && entry.log !== undefined) {
    entry.known = { ...entry.known, log: entry.log };
    if (entry.file === 'current') entry.file = 'behind';
  } else {
    rereadMetadata(folder, entry);
  }
  entry.log = undefined;
  folder.report({
    code: 'changed-outside',
    path,
    key: entry.key,
    message: `${path} was written to by another program while this store had the folder: what it holds now was taken over.`,
  });
  await settle(folder, entry);
}

/** The history is another file than before: its metadata tells what is hidden of it. */
function rereadMetadata({ disk, layout, now }: OpenFolder, entry: SessionEntry): void {
  const path = layout.meta(entry.name);
  const stored =
    disk.statNow(path) === undefined
      ? undefined
      : decodeMeta(disk.readNow(path).toString('utf8'), entry.name, now().toISOString());
  if (stored === undefined || stored.meta.key !== entry.key) {
    entry.known = { log: undefined, skip: 0 };
    return;
  }
  entry.meta = stored.meta;
  entry.known = { log: stored.log, skip: stored.skip };
  entry.others = stored.others;
  entry.file = 'behind';
}
