import { join } from 'node:path';
import type { Change, SessionMeta, StoredMessage } from '@x/session-store';
import { linesOf } from './append-path.js';
import { fileNameFor } from './file-name.js';
import { countHidden, startNear } from './history-scan.js';
import { carryOut, type IntentStep, StuckIntent } from './intent.js';
import { historyEnding, metaEnding } from './layout.js';
import { emptyLog, type LogShape, withLines } from './log-shape.js';
import { stagedName, stageMetadata } from './metadata-writer.js';
import { checkUnmoved } from './moved-history.js';
import { checkUndoubted, type OpenFolder, withHistory } from './open-folder.js';
import { type RewriteSource, writeRewritten } from './rewrite.js';
import { newEntry, type SessionEntry } from './session-entry.js';

type Update = Exclude<Change, { readonly remove: true }>;

/** What is to happen to the files, and to what is known of them once it has. */
interface Plan {
  readonly steps: IntentStep[];
  readonly staged: string[];
  readonly entries: Set<SessionEntry>;
  readonly outcomes: (() => void)[];
}

/** Stores changes of any kind, all or none. The sessions that they name have been settled. */
export async function carryOutChanges(folder: OpenFolder, changes: readonly Change[]): Promise<void> {
  const plan: Plan = { steps: [], staged: [], entries: new Set(), outcomes: [] };
  const reserved: string[] = [];
  try {
    for (const change of changes) {
      if ('remove' in change) planRemoval(folder, change.key, plan);
      else await planUpdate(folder, change, plan, reserved);
    }
    if (plan.steps.length === 0) return;
    const histories = plan.steps.flatMap(historiesOf);
    if (histories.length > 0) await folder.commits.settle(histories);
    for (const name of histories) await folder.files.forget(folder.layout.history(name));
    await carryOut(folder.disk, folder.layout, plan.steps);
  } catch (error) {
    if (error instanceof StuckIntent) {
      for (const entry of plan.entries) {
        entry.doubt = error;
        // What the files hold now is for them to tell.
        entry.known = { log: { ...emptyLog, tail: 'open' }, skip: 0 };
        entry.log = undefined;
        folder.ids.forget(entry);
      }
    } else {
      for (const name of reserved) folder.names.delete(name);
      // Leftovers are removed at the next opening; a failure here must not hide the first one.
      for (const name of plan.staged)
        await folder.disk.unlink(join(folder.layout.folder, name)).catch(() => {});
    }
    throw error;
  }
  for (const settleOutcome of plan.outcomes) settleOutcome();
}

/** The histories that a step writes to, moves or removes, by the names of their sessions. */
function historiesOf(step: IntentStep): readonly string[] {
  const names = step.do === 'move' ? [step.from, step.to] : [step.file];
  return names
    .filter((name) => name.endsWith(historyEnding))
    .map((name) => name.slice(0, -historyEnding.length));
}

function planRemoval(folder: OpenFolder, key: string, plan: Plan): void {
  const entry = folder.entries.get(key);
  if (entry === undefined) return;
  checkUndoubted(folder, entry);
  checkUnmoved(entry, folder.disk.statNow(folder.layout.history(entry.name)));
  plan.entries.add(entry);
  plan.steps.push(
    { do: 'remove', file: entry.name + historyEnding },
    { do: 'remove', file: entry.name + metaEnding },
  );
  plan.outcomes.push(() => forgetEntry(folder, entry));
}

function forgetEntry(folder: OpenFolder, entry: SessionEntry): void {
  folder.entries.delete(entry.key);
  folder.names.delete(entry.name.toLowerCase());
  folder.aliases.free(entry.meta);
  folder.ids.forget(entry);
}

async function planUpdate(folder: OpenFolder, change: Update, plan: Plan, reserved: string[]): Promise<void> {
  const { key, meta, append = [], claim = [] } = change;
  const entry = folder.entries.get(key) ?? reserveEntry(folder, key, meta, reserved);
  const source = change.adopt === undefined ? undefined : folder.entries.get(change.adopt);
  for (const each of source === undefined ? [entry] : [entry, source]) {
    checkUndoubted(folder, each);
    checkUnmoved(each, folder.disk.statNow(folder.layout.history(each.name)));
    plan.entries.add(each);
  }
  const { log, history } = await planHistory(folder, change, entry, source, plan);
  const about = {
    untimedAt: source?.untimedAt ?? entry.untimedAt,
    namedByFile: entry.namedByFile,
    others: { ...source?.others, ...entry.others },
  };
  const metaFile = entry.name + metaEnding;
  const claims = [...claim, ...(source === undefined ? [] : source.meta.aliases)];
  const staged = await stageMetadata(folder, meta, log, about, claims);
  plan.staged.push(staged);
  if (entry.file === 'broken') {
    const aside = `${metaFile}.broken-${folder.now().toISOString().replaceAll(/[:.]/g, '-')}`;
    plan.steps.push({ do: 'move', from: metaFile, to: aside });
  }
  plan.steps.push({ do: 'move', from: staged, to: metaFile });
  if (source !== undefined) plan.steps.push({ do: 'remove', file: source.name + metaEnding });

  plan.outcomes.push(() => {
    if (source !== undefined) forgetEntry(folder, source);
    if (history !== 'same') entry.fileSize = log.size;
    if (history === 'longer') folder.ids.add(entry, append);
    else if (history === 'other') folder.ids.forget(entry);
    folder.entries.set(key, Object.assign(entry, { ...about, meta, log, file: 'current' }));
    for (const alias of claim) folder.aliases.claim(alias, key);
  });
}

function reserveEntry(folder: OpenFolder, key: string, meta: SessionMeta, reserved: string[]): SessionEntry {
  const name = fileNameFor(key, (lowerCaseName) => folder.names.has(lowerCaseName));
  folder.names.add(name.toLowerCase());
  reserved.push(name.toLowerCase());
  return newEntry(key, name, meta);
}

interface HistoryPlan {
  readonly log: LogShape;
  readonly history: 'same' | 'longer' | 'other';
}

/** Adds the steps for the history, if it changes, and returns its shape afterwards. */
async function planHistory(
  folder: OpenFolder,
  change: Update,
  entry: SessionEntry,
  source: SessionEntry | undefined,
  plan: Plan,
): Promise<HistoryPlan> {
  const { meta, append = [], dropThrough = 0, dropAfter = Number.MAX_SAFE_INTEGER } = change;
  const log = entry.log ?? emptyLog;
  const file = entry.name + historyEnding;
  const tailSeq = Math.max(log.tailSeq, source?.log?.tailSeq ?? 0);
  const drops = tailSeq > 0 && (dropThrough > 0 || tailSeq > dropAfter);

  if (source === undefined && !drops) {
    if (append.length === 0) {
      return { log: { ...log, hidden: await hiddenIn(folder, entry, log, meta.cutoff) }, history: 'same' };
    }
    const text = linesOf(entry, append, false).toString();
    plan.steps.push({ do: 'append', file, at: log.size, text });
    const first = append[0]?.seq ?? 0;
    const longer = withLines(log, {
      count: append.length,
      bytes: Buffer.byteLength(text),
      firstSeq: first,
      lastSeq: append.at(-1)?.seq ?? first,
    });
    const before = meta.cutoff < first ? await hiddenIn(folder, entry, log, meta.cutoff) : log.lines;
    const hidden = before + append.filter(({ seq }) => seq <= meta.cutoff).length;
    return { log: { ...longer, hidden }, history: 'longer' };
  }
  if (source !== undefined && !drops && log.lines === 0 && append.length === 0) {
    const moved = source.log ?? emptyLog;
    plan.steps.push({ do: 'move', from: source.name + historyEnding, to: file });
    const hidden = await hiddenIn(folder, source, moved, meta.cutoff);
    return { log: { ...moved, hidden }, history: 'other' };
  }

  const staged = stagedName();
  plan.staged.push(staged);
  const keepsNone = dropThrough >= tailSeq;
  const sources = keepsNone ? [] : [source, entry].filter((each) => each !== undefined);
  const shape = await rewritten(folder, sources, join(folder.layout.folder, staged), {
    dropThrough,
    dropAfter,
    append,
    cutoff: meta.cutoff,
  });
  plan.steps.push({ do: 'move', from: staged, to: file });
  if (source !== undefined) plan.steps.push({ do: 'remove', file: source.name + historyEnding });
  return { log: shape, history: 'other' };
}

async function rewritten(
  folder: OpenFolder,
  sources: readonly SessionEntry[],
  path: string,
  how: {
    readonly dropThrough: number;
    readonly dropAfter: number;
    readonly append: readonly StoredMessage[];
    readonly cutoff: number;
  },
  opened: readonly RewriteSource[] = [],
): Promise<LogShape> {
  const [next, ...others] = sources;
  if (next === undefined) return writeRewritten(folder.disk, path, { ...how, sources: opened });
  const log = next.log ?? emptyLog;
  const shape = await withHistory(
    folder,
    next,
    async (reader) => {
      const from = isAllMessages(next) ? await startNear(reader, log, how.dropThrough) : 0;
      return rewritten(folder, others, path, how, [...opened, { reader, log, from }]);
    },
    true,
  );
  // A session without a history file adds nothing.
  return shape ?? rewritten(folder, others, path, how, opened);
}

/** True where no line is broken: what is dropped has nothing that should be told of. */
function isAllMessages({ log, meta }: SessionEntry): boolean {
  return log?.lines === meta.messageCount + (meta.bin?.count ?? 0);
}

/** PicoClaw's `skip` for a cutoff. */
async function hiddenIn(
  folder: OpenFolder,
  entry: SessionEntry,
  log: LogShape,
  cutoff: number,
): Promise<number> {
  if (cutoff === entry.meta.cutoff) return log.hidden;
  return (await withHistory(folder, entry, (reader) => countHidden(reader, log, cutoff))) ?? 0;
}
