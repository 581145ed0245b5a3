import type { Disk } from './disk.js';
import type { Finding } from './finding.js';
import { type FolderIndex, openIndex } from './folder-index.js';
import { historyEnding, type Layout, metaEnding } from './layout.js';
import { emptyLog } from './log-shape.js';
import { decodeMeta } from './meta-file.js';
import { entryOfHistory, newEntry, type SessionEntry } from './session-entry.js';
import { createSessionTable, type SessionTable } from './session-table.js';

/** How many files are looked at before others get their turn. */
const filesAtOnce = 100;

export interface FolderContent {
  readonly entries: SessionTable;
  /** Aliases that sessions list although they belong to others, by key. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** Names of all session files in lower case, also of those that are left alone. */
  readonly names: Set<string>;
  /** Where the index told it all. */
  readonly index: FolderIndex | undefined;
}

/** What is in the folder: by its index where that can be believed, else by its files. */
export async function readFolder(
  disk: Disk,
  layout: Layout,
  now: () => Date,
  report: (finding: Finding) => void,
): Promise<FolderContent> {
  const index = await openIndex(disk, layout);
  if (index === undefined) return readFiles(disk, layout, now, report);
  const { keys, times } = index.heads;
  const entries = createSessionTable({
    places: keys.map((key, row) => ({ key, activeAt: times[row] ?? '' })),
    entryAt(row) {
      const name = index.nameAt(row);
      return index.entryAt(row) ?? entryOf(disk, layout, name, sizeOf(disk, layout, name), now, report).entry;
    },
  });
  return {
    entries,
    refused: new Map(),
    names: new Set(keys.map((_, row) => index.nameAt(row).toLowerCase())),
    index,
  };
}

/**
 * Reads the listing of a folder and its metadata files; histories are only measured. What is not named like a
 * session's file is left alone: older formats, backups, other programs' files.
 */
async function readFiles(
  disk: Disk,
  layout: Layout,
  now: () => Date,
  report: (finding: Finding) => void,
): Promise<FolderContent> {
  const histories = new Set<string>();
  const metas: string[] = [];
  for (const entry of disk.listNow(layout.folder)) {
    if (entry.isDirectory()) continue;
    if (entry.name.endsWith(historyEnding)) histories.add(entry.name.slice(0, -historyEnding.length));
    else if (entry.name.endsWith(metaEnding)) metas.push(entry.name.slice(0, -metaEnding.length));
  }
  const entries = createSessionTable();
  const refused = new Map<string, readonly string[]>();
  const names = new Set([...histories, ...metas].map((name) => name.toLowerCase()));
  metas.sort();

  // Read without threads: for many small files they cost more than the reading.
  let seen = 0;
  for (const name of metas) {
    seen += 1;
    if (seen % filesAtOnce === 0) await new Promise(setImmediate);
    const size = histories.has(name) ? sizeOf(disk, layout, name) : undefined;
    const { entry, refusedAliases } = entryOf(disk, layout, name, size, now, report);
    histories.delete(name);
    const other = entries.get(entry.key);
    if (other === undefined) {
      entries.set(entry.key, entry);
      if (refusedAliases.length > 0) refused.set(entry.key, refusedAliases);
      continue;
    }
    // The names are sorted, so that the choice is the same each time.
    report({
      code: 'duplicate-key',
      path: layout.meta(name),
      key: entry.key,
      message: `${layout.meta(name)} names the session "${entry.key}", as ${layout.meta(other.name)} does already: it is left alone.`,
    });
  }
  for (const name of histories) {
    seen += 1;
    if (seen % filesAtOnce === 0) await new Promise(setImmediate);
    if (entries.get(name) !== undefined) {
      report({
        code: 'duplicate-key',
        path: layout.history(name),
        key: name,
        message: `${layout.history(name)} has no metadata and the name of a session that lies elsewhere: it is left alone.`,
      });
      continue;
    }
    entries.set(name, entryOfHistory(name, 'missing', timeOf(disk, layout.history(name))));
  }
  return { entries, refused, names, index: undefined };
}

/** One session as its files tell it now; undefined where it has none. */
export function readSession(
  disk: Disk,
  layout: Layout,
  name: string,
  now: () => Date,
  report: (finding: Finding) => void,
): SessionEntry | undefined {
  const size = sizeOf(disk, layout, name);
  if (disk.statNow(layout.meta(name)) !== undefined)
    return entryOf(disk, layout, name, size, now, report).entry;
  return size === undefined ? undefined : entryOfHistory(name, 'missing', timeOf(disk, layout.history(name)));
}

function entryOf(
  disk: Disk,
  layout: Layout,
  name: string,
  historySize: number | undefined,
  now: () => Date,
  report: (finding: Finding) => void,
): { readonly entry: SessionEntry; readonly refusedAliases: readonly string[] } {
  const path = layout.meta(name);
  const content = disk.readNow(path).toString('utf8');
  const stored = decodeMeta(content, name, now().toISOString());
  if (stored === undefined) {
    report({
      code: 'broken-metadata',
      path,
      key: name,
      message: `${path} is no metadata that can be read: the session "${name}" is told from its history, and the file is kept aside once the session is written to.`,
    });
    const at = timeOf(disk, historySize === undefined ? path : layout.history(name));
    return { entry: entryOfHistory(name, 'broken', at), refusedAliases: [] };
  }
  const isUpToDate = stored.log !== undefined && stored.log.size === (historySize ?? 0);
  const entry: SessionEntry = {
    ...newEntry(stored.meta.key, name, stored.meta),
    log: isUpToDate
      ? stored.log
      : historySize === undefined && stored.log === undefined
        ? emptyLog
        : undefined,
    known: { log: stored.log, skip: stored.skip },
    untimedAt: stored.untimedAt,
    namedByFile: stored.namedByFile,
    others: stored.others,
    fileSize: historySize ?? 0,
    file: 'current',
  };
  return { entry, refusedAliases: stored.refused };
}

function sizeOf(disk: Disk, layout: Layout, name: string): number | undefined {
  return disk.statNow(layout.history(name))?.size;
}

function timeOf(disk: Disk, path: string): string {
  return (disk.statNow(path)?.mtime ?? new Date(0)).toISOString();
}
