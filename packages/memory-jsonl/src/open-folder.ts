import type { FileHandle } from 'node:fs/promises';
import { StoreFailed } from '@x/session-store';
import type { AliasIndex } from './alias-index.js';
import type { Disk } from './disk.js';
import type { Finding } from './finding.js';
import type { GroupCommit } from './group-commit.js';
import { type HistoryReader, type LineReport, publish } from './history-reader.js';
import type { KnownIds } from './known-ids.js';
import type { Layout } from './layout.js';
import type { ReadableFile } from './line-walk.js';
import { emptyLog } from './log-shape.js';
import type { OpenFiles } from './open-files.js';
import type { SessionEntry } from './session-entry.js';
import type { SessionTable } from './session-table.js';
import { settleFrom } from './settle.js';

/** The folder while it is open: what every operation of the driver works on. */
export interface OpenFolder {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly files: OpenFiles;
  readonly commits: GroupCommit;
  readonly ids: KnownIds;
  readonly entries: SessionTable;
  /** File names in use, in lower case. */
  readonly names: Set<string>;
  readonly aliases: AliasIndex;
  /** Keys that were taken from file names, by those names in lower case. */
  readonly namedByFile: ReadonlyMap<string, string>;
  readonly maxLineBytes: number;
  readonly lines: LineReport;
  now(): Date;
  report(finding: Finding): void;
}

/** A report that passes each finding on once. */
export function createLineReport(report: (finding: Finding) => void): LineReport {
  const known = new Set<string>();
  // Once something stands behind it, a torn line is an unreadable one: still the same finding.
  const name = (code: Finding['code'], path: string, offset: number) =>
    `${code === 'torn-line' ? 'unreadable-line' : code} ${offset} ${path}`;
  return {
    isKnown: (code, path, offset) => known.has(name(code, path, offset)),
    add(finding, offset) {
      known.add(name(finding.code, finding.path, offset));
      report(finding);
    },
  };
}

/** Runs a task on a session's history; undefined where it has none. What was met on the way is reported. */
export async function withHistory<T>(
  folder: OpenFolder,
  entry: SessionEntry,
  task: (reader: HistoryReader, file: FileHandle) => Promise<T>,
  fromStart = false,
): Promise<T | undefined> {
  const path = folder.layout.history(entry.name);
  return folder.files.read(path, async (file) => {
    const reader = readerOf(folder, entry, file);
    const result = await task(reader, file);
    if (reader.met.length > 0) await publish(reader, fromStart, folder.lines);
    return result;
  });
}

/** More than this is worth a thread. */
const atOnceBytes = 64 * 1024;

function readAtOnce(disk: Disk, file: FileHandle): ReadableFile {
  return {
    async read(buffer, offset, length, position) {
      if (length > atOnceBytes) return file.read(buffer, offset, length, position);
      return { bytesRead: disk.readAtNow(file, buffer, offset, length, position) };
    },
  };
}

function readerOf(folder: OpenFolder, entry: SessionEntry, file: FileHandle): HistoryReader {
  return {
    // What was written a moment ago is in memory; a thread to read it may be busy with a sync.
    file: entry.file === 'behind' ? readAtOnce(folder.disk, file) : file,
    path: folder.layout.history(entry.name),
    key: entry.key,
    untimedAt: entry.untimedAt,
    maxLineBytes: folder.maxLineBytes,
    met: [],
  };
}

/** Looks at the history of a session that nobody has looked at yet. Several callers share one look. */
export async function settle(folder: OpenFolder, entry: SessionEntry): Promise<void> {
  if (entry.log !== undefined) return;
  entry.settling ??= (async () => {
    try {
      const settled = await withHistory(folder, entry, async (reader, file) => {
        const { size, mtime } = await file.stat();
        entry.fileSize = size;
        return settleFrom(reader, entry, size, mtime.toISOString());
      });
      entry.meta = settled?.meta ?? { ...entry.meta, messageCount: 0, activeCount: 0 };
      entry.log = settled?.log ?? emptyLog;
      // The metadata file says something else than the history.
      if (entry.file === 'current' && entry.known.log !== undefined) entry.file = 'behind';
      folder.entries.touch(entry.key);
    } finally {
      entry.settling = undefined;
    }
  })();
  await entry.settling;
}

/** Throws while it is not known what an earlier failure left in the session's files. */
export function checkUndoubted(folder: OpenFolder, entry: SessionEntry): void {
  if (entry.doubt === undefined) return;
  const path = folder.layout.history(entry.name);
  throw new StoreFailed(
    `Session "${entry.key}" takes no writes: an earlier one failed and could not be undone (${entry.doubt.message}). Close the store and open it again.`,
    { key: entry.key, path, cause: entry.doubt },
  );
}
