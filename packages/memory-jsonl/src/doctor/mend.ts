import { readFile, unlink } from 'node:fs/promises';
import { resolve as absolutePath, join } from 'node:path';
import { type Disk, nodeDisk } from '../disk.js';
import { decodeJournal } from '../journal-record.js';
import { openJsonlDriver } from '../jsonl-driver.js';
import { historyEnding, type Layout, layoutOf } from '../layout.js';
import { holderOf, lockFolder } from '../lock.js';
import { type Backup, createBackup } from './backup.js';
import { namesIn } from './folder-listing.js';
import { type FolderProblem, mendedByMetadata, mendedByRewrite } from './folder-problem.js';
import { type FolderCounts, type Inspection, type InspectOptions, inspect } from './inspect.js';
import { isLeftover } from './own-folder.js';
import { mendSession } from './session-mend.js';

export interface Mending extends FolderCounts {
  readonly mended: readonly FolderProblem[];
  /** What is still wrong. */
  readonly left: readonly FolderProblem[];
  /** Where every file that was changed or removed lies as it was; undefined where none was. */
  readonly backup: string | undefined;
}

/**
 * Puts right what can be: finishes what a crash cut off, leaves unreadable lines out of histories, tells metadata
 * anew from them. Keeps a copy of each file first. Takes the folder's lock: `StoreLocked` while a process has it.
 */
export async function mendJsonl(
  directory: string,
  options: InspectOptions = {},
  disk: Disk = nodeDisk,
): Promise<Mending> {
  const { now = () => new Date(), maxLineBytes = 20 * 1024 * 1024 } = options;
  const layout = layoutOf(absolutePath(directory));
  const open = async () => (await openJsonlDriver({ directory: layout.folder, maxLineBytes }, disk)).close();
  // Says who has it.
  if ((await holderOf(disk, layout))?.isAlive === true) await open();
  const before = await inspected(layout, options);
  if (!before.problems.some(({ fixable }) => fixable)) {
    const { sessions, messages } = before.found;
    return { mended: [], left: before.problems, backup: undefined, sessions, messages };
  }
  const backup = createBackup(disk, layout, now);
  await keepAll(layout, before.problems, before.found, backup);
  // Whoever opens the folder for writing finishes what a crash cut off.
  await open();
  const lock = await lockFolder(disk, layout, now);
  try {
    const { problems, found } = await inspected(layout, options);
    await keepAll(layout, problems, found, backup);
    for (const [key, codes] of problemsByKey(problems)) {
      const name = found.names.get(key);
      const rewrite = codes.some((code) => mendedByRewrite.has(code));
      if (name === undefined || !(rewrite || codes.some((code) => mendedByMetadata.has(code)))) continue;
      await mendSession(disk, layout, { name, rewrite, aliases: found.aliases, maxLineBytes, now });
    }
    await removeLeftovers(layout, problems);
  } finally {
    await lock.release();
  }
  const after = await inspected(layout, options);
  const left = new Set(after.problems.map(nameOf));
  return {
    mended: before.problems.filter((problem) => problem.fixable && !left.has(nameOf(problem))),
    left: after.problems,
    backup: backup.folder,
    sessions: after.found.sessions,
    messages: after.found.messages,
  };
}

async function inspected(
  layout: Layout,
  options: InspectOptions,
): Promise<{ readonly problems: readonly FolderProblem[]; readonly found: Inspection }> {
  const problems: FolderProblem[] = [];
  const steps = inspect(layout, false, options);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) return { problems, found: step.value };
    problems.push(step.value);
  }
}

/** Copies what a repair of these problems may change. */
async function keepAll(
  layout: Layout,
  problems: readonly FolderProblem[],
  found: Inspection,
  backup: Backup,
): Promise<void> {
  for (const { fixable, path, key, code } of problems) {
    if (!fixable || code === 'stale-lock') continue;
    const name = key === undefined ? undefined : found.names.get(key);
    if (name === undefined) {
      await backup.keep(path);
      for (const file of await filesNamedIn(code, path)) await backup.keep(join(layout.folder, file));
    } else {
      await backup.keep(layout.history(name));
      await backup.keep(layout.meta(name));
    }
  }
  await backup.sync();
}

/** The files of the folder that an intent or a journal is about to change. */
async function filesNamedIn(code: FolderProblem['code'], path: string): Promise<readonly string[]> {
  if (code === 'unfinished-journal') {
    const { records } = decodeJournal(await readFile(path));
    return records.flatMap(({ parts }) => parts).map(({ name }) => name + historyEnding);
  }
  if (code !== 'unfinished-change') return [];
  const named = (await readFile(path, 'utf8')).matchAll(/"(?:file|to)":"([^"/\\]+)"/g);
  return [...named].map(([, name = '']) => name);
}

function problemsByKey(problems: readonly FolderProblem[]) {
  const codes = new Map<string, FolderProblem['code'][]>();
  for (const { key, code, fixable } of problems)
    if (key !== undefined && fixable) codes.set(key, [...(codes.get(key) ?? []), code]);
  return codes;
}

async function removeLeftovers(layout: Layout, problems: readonly FolderProblem[]): Promise<void> {
  for (const { code, path } of problems) if (code === 'leftover-file') await unlink(path).catch(() => {});
  // An index of what was is made anew where it is missing.
  for (const name of await namesIn(layout.own))
    if (isLeftover(name) || name.startsWith('index')) await unlink(join(layout.own, name)).catch(() => {});
}

function nameOf({ code, path, key, line }: FolderProblem): string {
  return JSON.stringify([code, path, key, line]);
}
