import type { AliasIndex } from './alias-index.js';
import type { Disk } from './disk.js';
import type { Finding } from './finding.js';
import { aliasesByFiles, aliasesByIndex } from './folder-aliases.js';
import { type FolderIndex, openIndex } from './folder-index.js';
import { historyEnding, type Layout, metaEnding } from './layout.js';
import { emptyLog } from './log-shape.js';
import { decodeMeta } from './meta-file.js';
import { entryOfHistory, newEntry, type SessionEntry } from './session-entry.js';
import { createSessionTable, type SessionTable } from './session-table.js';

/** How many files are looked at before others get their turn. */
const filesAtOnce = 100;
const stampsAtOnce = 1000;

export interface FolderContent {
  readonly entries: SessionTable;
  readonly aliases: AliasIndex;
  /** Keys that were taken from file names, by those names in lower case. */
  readonly namedByFile: ReadonlyMap<string, string>;
  /** Names of all session files in lower case, also of those that are left alone. */
  readonly names: Set<string>;
  /** Where the index told it, or most of it. */
  readonly index: FolderIndex | undefined;
}

/** What is in the folder: by its index as far as that can be believed, else by its files. */
export async function readFolder(
  disk: Disk,
  layout: Layout,
  readOnly: boolean,
  now: () => Date,
  report: (finding: Finding) => void,
): Promise<FolderContent> {
  const index = await openIndex(disk, layout, readOnly);
  if (index !== undefined) {
    const content = await readByIndex(disk, layout, index, now, report);
    if (content !== undefined) return content;
    await index.close();
  }
  return readFiles(disk, layout, now, report);
}

/** Undefined where more has changed than sessions of their own: all files together tell what that means. */
async function readByIndex(
  disk: Disk,
  layout: Layout,
  index: FolderIndex,
  now: () => Date,
  report: (finding: Finding) => void,
): Promise<FolderContent | undefined> {
  const { keys, times, deleted, namedByFile } = index.heads;
  const entries = createSessionTable({
    places: keys.map((key, row) => ({ key, activeAt: times[row] ?? '' })),
    deleted: new Set(deleted),
    entryAt(row) {
      const name = index.nameAt(row);
      return index.entryAt(row) ?? entryOf(disk, layout, name, sizeOf(disk, layout, name), now, report).entry;
    },
  });
  const names = new Set(keys.map((_, row) => index.nameAt(row).toLowerCase()));
  const isKnown = index.isCurrent || (await takeChanges(disk, layout, index, entries, names, now));
  const aliases = isKnown ? aliasesByIndex(entries, index) : undefined;
  if (aliases === undefined) return undefined;
  const unchanged = namedByFile.filter((key) => entries.rowOf(key) !== undefined);
  return {
    entries,
    aliases,
    names,
    namedByFile: new Map([...byName(unchanged), ...namedByFiles(entries)]),
    index,
  };
}

function namedByFiles(entries: SessionTable) {
  return byName([...entries.used()].filter(({ namedByFile }) => namedByFile).map(({ key }) => key));
}

function byName(keys: readonly string[]): ReadonlyMap<string, string> {
  return new Map(keys.map((key) => [key.toLowerCase(), key]));
}

/** Reads the sessions whose files do not bear the index's stamps; false where they are not sessions of their own. */
async function takeChanges(
  disk: Disk,
  layout: Layout,
  index: FolderIndex,
  entries: SessionTable,
  names: Set<string>,
  now: () => Date,
): Promise<boolean> {
  // What is wrong with a file is told when all of them are read.
  const untold = () => {};
  const { histories, metas } = listFolder(disk, layout);
  const unknown = new Set([...metas, ...histories]);
  for (const [row, key] of index.heads.keys.entries()) {
    if (row % stampsAtOnce === stampsAtOnce - 1) await new Promise(setImmediate);
    const name = index.nameAt(row);
    unknown.delete(name);
    const stamp = index.stampAt(row);
    const metaChangedMs = disk.statNow(layout.meta(name))?.ctimeMs;
    if (metaChangedMs === stamp.metaChangedMs && (sizeOf(disk, layout, name) ?? 0) === stamp.size) continue;
    const entry = readSession(disk, layout, name, now, untold);
    if (entry === undefined) entries.delete(key);
    else if (entry.key === key && entry.file === 'current') entries.set(key, entry);
    else return false;
  }
  for (const name of unknown) {
    const entry = readSession(disk, layout, name, now, untold);
    if (entry === undefined || entry.file !== 'current' || entries.has(entry.key)) return false;
    names.add(name.toLowerCase());
    entries.set(entry.key, entry);
  }
  return true;
}

function listFolder(disk: Disk, layout: Layout) {
  const histories = new Set<string>();
  const metas: string[] = [];
  for (const entry of disk.listNow(layout.folder)) {
    if (entry.isDirectory()) continue;
    if (entry.name.endsWith(historyEnding)) histories.add(entry.name.slice(0, -historyEnding.length));
    else if (entry.name.endsWith(metaEnding)) metas.push(entry.name.slice(0, -metaEnding.length));
  }
  return { histories, metas };
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
  const { histories, metas } = listFolder(disk, layout);
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
  const aliases = aliasesByFiles(entries, refused, layout.folder, report);
  return { entries, aliases, names, namedByFile: namedByFiles(entries), index: undefined };
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
