import { join } from 'node:path';
import { StoreFailed } from '@x/session-store';
import { type Disk, isCode, syncFolder } from './disk.js';
import type { Finding } from './finding.js';
import { readFolder } from './folder.js';
import { type FolderIndex, putIndexAside } from './folder-index.js';
import { createGroupCommit } from './group-commit.js';
import { finishIntents } from './intent.js';
import { replayJournals } from './journal-replay.js';
import { createKnownIds } from './known-ids.js';
import { type Layout, layoutOf } from './layout.js';
import { type FolderLock, lockFolder } from './lock.js';
import { createOpenFiles } from './open-files.js';
import { createLineReport, type OpenFolder, settle } from './open-folder.js';
import { createSharedJournal } from './shared-journal.js';

export interface Opening {
  readonly disk: Disk;
  readonly directory: string;
  readonly readOnly: boolean;
  readonly maxLineBytes: number;
  readonly bounds: {
    readonly filesKeptOpen: number;
    readonly idSlotsKept: number;
    readonly journalBytes: number;
  };
  readonly now: () => Date;
  readonly report: (finding: Finding) => void;
}

export interface OpenedFolder {
  readonly folder: OpenFolder;
  readonly lock: FolderLock | undefined;
  readonly index: FolderIndex | undefined;
}

/** Locks the folder, finishes what a crash cut off, and learns what is there. */
export async function openFolder(opening: Opening): Promise<OpenedFolder> {
  const { disk, directory, readOnly, now, report } = opening;
  const layout = layoutOf(directory);
  let lock: FolderLock | undefined;
  try {
    if (readOnly) {
      await reportUnfinished(disk, layout, report);
    } else {
      await disk.mkdir(layout.intents, { recursive: true });
      await disk.mkdir(layout.staged, { recursive: true });
      await syncFolder(disk, layout.own);
      await syncFolder(disk, directory);
      lock = await lockFolder(disk, layout, now);
      await replayJournals(disk, layout, report);
      await finishIntents(disk, layout, (path) =>
        report({
          code: 'unreadable-intent',
          path,
          message: `${path} tells of a change that was not finished, but cannot be read: left where it is.`,
        }),
      );
    }
    const content = await readFolder(disk, layout, readOnly, now, report);
    const files = createOpenFiles(disk, opening.bounds.filesKeptOpen, readOnly);
    const journal = createSharedJournal(disk, layout, files, opening.bounds.journalBytes, (name, error) => {
      const entry = [...content.entries.used()].find((each) => each.name === name);
      if (entry !== undefined) entry.doubt = error instanceof Error ? error : new Error(String(error));
    });
    const folder: OpenFolder = {
      disk,
      layout,
      files,
      commits: createGroupCommit(disk, layout, files, journal),
      ids: createKnownIds(opening.bounds.idSlotsKept),
      entries: content.entries,
      names: content.names,
      aliases: content.aliases,
      namedByFile: content.namedByFile,
      maxLineBytes: opening.maxLineBytes,
      lines: createLineReport(report),
      now,
      report,
    };
    // After a crash the time of the last message, by which lists are ordered, stands in the history only.
    for (const entry of [...content.entries.used()]) {
      if (entry.log === undefined && entry.known.log !== undefined) await settle(folder, entry);
    }
    if (!readOnly && content.index !== undefined) await putIndexAside(disk, layout);
    return { folder, lock, index: content.index };
  } catch (error) {
    await lock?.release();
    throw opened(error, directory);
  }
}

/** A reader cannot tell a change that a crash cut off from one that a writer is at this moment making. */
async function reportUnfinished(
  disk: Disk,
  layout: Layout,
  report: (finding: Finding) => void,
): Promise<void> {
  const names = await disk.readdir(layout.intents).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  for (const name of names) {
    const path = join(layout.intents, name);
    const message = `${path} tells of a change that is not finished: open the folder for writing to finish it.`;
    report({ code: 'unfinished-change', path, message });
  }
}

function opened(error: unknown, directory: string): unknown {
  const place = { path: directory, cause: error };
  if (isCode(error, 'EACCES', 'EPERM', 'EROFS')) {
    return new StoreFailed(
      `The sessions folder ${directory} cannot be opened for writing. Give this user the right to write there, or name another folder.`,
      place,
    );
  }
  if (isCode(error, 'ENOTDIR', 'EEXIST')) {
    return new StoreFailed(`The sessions folder ${directory} is not a folder. Name another place.`, place);
  }
  if (isCode(error, 'ENOENT')) {
    return new StoreFailed(`The sessions folder ${directory} does not exist. Name another place.`, place);
  }
  return error;
}
