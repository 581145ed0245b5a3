import { type JsonObject, parseObject, textOf } from './json-object.js';

/** One entry of a transcript. */
export interface TranscriptEntry {
  /** Its place among the lines, from 0. */
  readonly line: number;
  /** Empty in a file of version 1. */
  readonly id: string;
  readonly type: string;
  readonly value: JsonObject;
}

/** A transcript, read: the tree of its entries and the branch that is in use. */
export interface Transcript {
  readonly lines: readonly string[];
  readonly isEnded: boolean;
  readonly version: number;
  readonly header: JsonObject | undefined;
  /** In the order of the file. */
  readonly entries: readonly TranscriptEntry[];
  /** From the root to the leaf. */
  readonly branch: readonly TranscriptEntry[];
  /** Lines that are no entries, from 0. */
  readonly damaged: readonly number[];
  /** Ids of entries whose parent is not there. */
  readonly orphaned: readonly string[];
  /** What the newest compaction on the branch leaves to the model; absent where there was none. */
  readonly compaction?: Compaction;
}

export interface Compaction {
  readonly summary: string;
  /** Entries of the branch before this place are summed up. */
  readonly keptFrom: number;
}

/** The line numbers of the branch, where something else than the tree says so. */
export type KnownBranch = readonly number[];

/**
 * Reads a transcript of any version. The leaf is the last entry of the file; what names a parent that is not there
 * follows the entry before it in the file, so that a damaged line costs itself and nothing else.
 */
export function readTranscript(
  lines: readonly string[],
  isEnded: boolean,
  knownBranch?: KnownBranch,
): Transcript {
  const values = lines.map((line) => (line.trim() === '' ? 'blank' : parseObject(line)));
  const headerLine = values.findIndex((value) => typeof value === 'object' && value.type === 'session');
  const first = values.findIndex((value) => value !== 'blank');
  const header = headerLine >= 0 ? values[headerLine] : undefined;
  const entries: TranscriptEntry[] = [];
  const damaged: number[] = [];
  values.forEach((value, line) => {
    if (value === 'blank' || line === headerLine) return;
    if (value === undefined || textOf(value.type) === '') damaged.push(line);
    else entries.push({ line, id: textOf(value.id), type: textOf(value.type), value });
  });
  const version = versionOf(typeof header === 'object' ? header : undefined, entries);
  const { parents, orphaned } = version === 1 ? { parents: linear(entries), orphaned: [] } : linked(entries);
  const branch = knownBranch === undefined ? pathTo(entries, parents) : onLines(entries, knownBranch);
  const compaction = compactionOf(branch, values.length > 0 ? first : 0);
  return {
    lines,
    isEnded,
    version,
    header: typeof header === 'object' ? header : undefined,
    entries,
    branch,
    damaged,
    orphaned,
    ...(compaction === undefined ? {} : { compaction }),
  };
}

/** A header without a version is of the first; without a header the ids tell. */
function versionOf(header: JsonObject | undefined, entries: readonly TranscriptEntry[]): number {
  if (header !== undefined) return typeof header.version === 'number' ? header.version : 1;
  return entries.some(({ id }) => id !== '') ? 3 : 1;
}

/** The place of each entry's parent among the entries; -1 for none. */
type Parents = readonly number[];

function linear(entries: readonly TranscriptEntry[]): Parents {
  return entries.map((_, index) => index - 1);
}

function linked(entries: readonly TranscriptEntry[]): { parents: Parents; orphaned: readonly string[] } {
  const places = new Map<string, number>();
  const orphaned: string[] = [];
  const parents = entries.map(({ id, value }, index) => {
    const parentId = textOf(value.parentId);
    // Looked for above only, so that no path runs in a circle.
    const known = parentId === '' ? undefined : places.get(parentId);
    if (parentId !== '' && known === undefined) orphaned.push(id);
    if (id !== '') places.set(id, index);
    if (known !== undefined) return known;
    return parentId === '' && (value.parentId === null || id !== '') ? -1 : index - 1;
  });
  return { parents, orphaned };
}

function pathTo(entries: readonly TranscriptEntry[], parents: Parents): readonly TranscriptEntry[] {
  const path: TranscriptEntry[] = [];
  for (let place = entries.length - 1; place >= 0; ) {
    const entry = entries[place];
    if (entry !== undefined) path.push(entry);
    place = parents[place] ?? -1;
  }
  return path.reverse();
}

function onLines(entries: readonly TranscriptEntry[], lines: KnownBranch): readonly TranscriptEntry[] {
  const wanted = new Set(lines);
  return entries.filter(({ line }) => wanted.has(line));
}

function compactionOf(branch: readonly TranscriptEntry[], firstLine: number): Compaction | undefined {
  const place = branch.findLastIndex(({ type }) => type === 'compaction');
  const value = branch[place]?.value;
  if (value === undefined) return undefined;
  const { firstKeptEntryId, firstKeptEntryIndex } = value;
  const kept = branch
    .slice(0, place)
    .findIndex(({ id, line }) =>
      typeof firstKeptEntryIndex === 'number'
        ? line - firstLine >= firstKeptEntryIndex
        : id !== '' && id === firstKeptEntryId,
    );
  // What is said to be kept and is not there keeps nothing.
  return { summary: textOf(value.summary), keptFrom: kept < 0 ? place : kept };
}
