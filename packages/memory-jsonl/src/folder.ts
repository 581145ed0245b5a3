import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Finding } from './finding.js';
import { historyEnding, type Layout, metaEnding } from './layout.js';
import { emptyLog } from './log-shape.js';
import { decodeMeta } from './meta-file.js';
import { entryOfHistory, newEntry, type SessionEntry } from './session-entry.js';

/** How many files are looked at before others get their turn. */
const filesAtOnce = 100;

export interface FolderContent {
  readonly entries: Map<string, SessionEntry>;
  /** Aliases that sessions list although they belong to others, by key. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** Names of all session files in lower case, also of those that are left alone. */
  readonly names: Set<string>;
}

/**
 * Reads the listing of a folder and its metadata files; histories are only measured. What is not named like a
 * session's file is left alone: older formats, backups, other programs' files.
 */
export async function readFolder(
  layout: Layout,
  now: () => Date,
  report: (finding: Finding) => void,
): Promise<FolderContent> {
  const histories = new Set<string>();
  const metas: string[] = [];
  for (const entry of readdirSync(layout.folder, { withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    if (entry.name.endsWith(historyEnding)) histories.add(entry.name.slice(0, -historyEnding.length));
    else if (entry.name.endsWith(metaEnding)) metas.push(entry.name.slice(0, -metaEnding.length));
  }
  const entries = new Map<string, SessionEntry>();
  const refused = new Map<string, readonly string[]>();
  const names = new Set([...histories, ...metas].map((name) => name.toLowerCase()));
  metas.sort();

  // Read without threads: for many small files they cost more than the reading.
  let seen = 0;
  for (const name of metas) {
    seen += 1;
    if (seen % filesAtOnce === 0) await new Promise(setImmediate);
    const size = histories.has(name) ? statSync(layout.history(name)).size : undefined;
    const { entry, refusedAliases } = entryOf(layout, name, size, now, report);
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
    if (entries.has(name)) {
      report({
        code: 'duplicate-key',
        path: layout.history(name),
        key: name,
        message: `${layout.history(name)} has no metadata and the name of a session that lies elsewhere: it is left alone.`,
      });
      continue;
    }
    entries.set(name, entryOfHistory(name, 'missing', timeOf(layout.history(name))));
  }
  return { entries, refused, names };
}

function entryOf(
  layout: Layout,
  name: string,
  historySize: number | undefined,
  now: () => Date,
  report: (finding: Finding) => void,
): { readonly entry: SessionEntry; readonly refusedAliases: readonly string[] } {
  const path = layout.meta(name);
  const content = readFileSync(path, 'utf8');
  const stored = decodeMeta(content, name, now().toISOString());
  if (stored === undefined) {
    report({
      code: 'broken-metadata',
      path,
      key: name,
      message: `${path} is no metadata that can be read: the session "${name}" is told from its history, and the file is kept aside once the session is written to.`,
    });
    const at = timeOf(historySize === undefined ? path : layout.history(name));
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

function timeOf(path: string): string {
  return statSync(path).mtime.toISOString();
}
