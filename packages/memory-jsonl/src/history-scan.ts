import type { ScanRange, StoredMessage } from '@x/session-store';
import {
  type HistoryReader,
  messageOf,
  type PlacedLine,
  placing,
  placingBackward,
} from './history-reader.js';
import { readBlock, walkBackward, walkForward } from './line-walk.js';
import type { LogShape } from './log-shape.js';
import { derivedId, headOf } from './message-line.js';
import { ownLinesBackward, ownLinesForward } from './own-lines.js';

const probeBytes = 16 * 1024;
const smallBytes = 64 * 1024;

/** Messages with `after < seq < before`. Reads about what it returns, and parses nothing else. */
export async function scanHistory(
  reader: HistoryReader,
  shape: LogShape,
  range: ScanRange,
): Promise<StoredMessage[]> {
  const { after, limit, order } = range;
  const before = Math.min(range.before, shape.tailSeq + 1);
  if (limit === 0 || shape.lines === 0 || before - after <= 1) return [];
  // A file that cannot be searched is read from the nearer end.
  const fromEnd = shape.regular && (order === 'desc' || (!shape.explicit && shape.tailSeq - after < after));
  if (!fromEnd) {
    const all = await forward(
      reader,
      shape,
      after,
      before,
      order === 'asc' ? limit : Number.MAX_SAFE_INTEGER,
    );
    return order === 'asc' ? all : all.reverse().slice(0, limit);
  }
  if (order === 'desc') return backward(reader, shape, after, before, limit);
  return (await backward(reader, shape, after, before, Number.MAX_SAFE_INTEGER)).reverse().slice(0, limit);
}

async function forward(
  reader: HistoryReader,
  shape: LogShape,
  after: number,
  before: number,
  limit: number,
): Promise<StoredMessage[]> {
  const { start } = await locate(reader, shape, after);
  if (isOurs(shape)) {
    const range = { from: start, to: shape.size, after, before, limit };
    const own = await ownLinesForward(reader, range);
    if (own !== undefined) return own;
  }
  const place = placing(0);
  const found: StoredMessage[] = [];
  for await (const lines of walkForward(reader.file, start, shape.size, reader.maxLineBytes)) {
    for (const raw of lines) {
      const line = place(raw);
      if (line.seq <= after) continue;
      if (line.seq >= before) return found;
      const message = messageOf(reader, line);
      if (message !== undefined && found.push(message) >= limit) return found;
    }
  }
  return found;
}

async function backward(
  reader: HistoryReader,
  shape: LogShape,
  after: number,
  before: number,
  limit: number,
): Promise<StoredMessage[]> {
  const { end, seqAtEnd } = before > shape.tailSeq ? endOf(shape) : await locate(reader, shape, before - 1);
  if (isOurs(shape)) {
    const own = await ownLinesBackward(reader, { from: 0, to: end, after, before, limit });
    if (own !== undefined) return own;
  }
  const place = placingBackward(seqAtEnd);
  const found: StoredMessage[] = [];
  for await (const lines of walkBackward(reader.file, 0, end, reader.maxLineBytes)) {
    for (const raw of lines) {
      const line = place(raw);
      if (line.seq >= before) continue;
      if (line.seq <= after) return found;
      const message = messageOf(reader, line);
      if (message !== undefined && found.push(message) >= limit) return found;
    }
  }
  return found;
}

/** True where most likely every line is one of ours. */
function isOurs({ explicit, regular }: LogShape): boolean {
  return explicit && regular;
}

interface Bounds {
  /** The start of a line with `seq <= target`, or of the file. */
  readonly start: number;
  /** The start of a line with `seq > target`, or the end of the file; and its seq. */
  readonly end: number;
  readonly seqAtEnd: number;
}

function endOf(shape: LogShape): Bounds {
  return { start: 0, end: shape.size, seqAtEnd: shape.tailSeq + 1 };
}

/** Narrows down by halves where the line behind `target` is, as far as lines carry their seqs. */
async function locate(reader: HistoryReader, shape: LogShape, target: number): Promise<Bounds> {
  let bounds = endOf(shape);
  if (!shape.explicit || !shape.regular || target <= 0) return bounds;
  while (bounds.end - bounds.start > smallBytes) {
    const probe = await lineBehind(reader, (bounds.start + bounds.end) >>> 1, bounds.end);
    if (probe === undefined) break;
    bounds =
      probe.seq <= target
        ? { ...bounds, start: probe.offset }
        : { ...bounds, end: probe.offset, seqAtEnd: probe.seq };
  }
  return bounds;
}

/** The start of a line with a seq up to `target`, near the last one of them as far as the file can be searched. */
export async function startNear(reader: HistoryReader, shape: LogShape, target: number): Promise<number> {
  return (await locate(reader, shape, target)).start;
}

/** The first line behind a place that carries its seq; undefined where there is none near or before `end`. */
async function lineBehind(
  { file }: HistoryReader,
  place: number,
  end: number,
): Promise<{ readonly offset: number; readonly seq: number } | undefined> {
  let position = place;
  while (position < end) {
    const block = await readBlock(file, position, Math.min(probeBytes, end - position));
    if (block.length === 0) return undefined;
    for (let mark = block.indexOf(10); mark >= 0; mark = block.indexOf(10, mark + 1)) {
      const offset = position + mark + 1;
      if (offset >= end) return undefined;
      const { seq } = headOf(await readBlock(file, offset, 48));
      if (seq !== undefined) return { offset, seq };
    }
    position += block.length;
  }
  return undefined;
}

/** How many lines have a seq up to `cutoff`. Walks from the end, since a cutoff mostly lies near it. */
export async function countHidden(reader: HistoryReader, shape: LogShape, cutoff: number): Promise<number> {
  if (cutoff >= shape.tailSeq) return shape.lines;
  if (cutoff <= 0) return 0;
  if (!shape.regular) {
    let hidden = 0;
    const place = placing(0);
    for await (const lines of walkForward(reader.file, 0, shape.size, reader.maxLineBytes)) {
      for (const raw of lines) if (place(raw).seq <= cutoff) hidden += 1;
    }
    return hidden;
  }
  let visible = 0;
  const place = placingBackward(shape.tailSeq + 1);
  for await (const lines of walkBackward(reader.file, 0, shape.size, reader.maxLineBytes)) {
    for (const raw of lines) {
      if (place(raw).seq <= cutoff) return shape.lines - visible;
      visible += 1;
    }
  }
  return shape.lines - visible;
}

/** The seqs of those of `ids` that are in the file. What is not there costs a search of its bytes, no parsing. */
export async function findSeqs(
  reader: HistoryReader,
  shape: LogShape,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const suspects = new Set(await idsInBytes(reader, shape, ids));
  if (!shape.explicit) for (const id of ids) if (/^line-\d+$/.test(id)) suspects.add(id);
  if (suspects.size === 0) return found;
  const needles = [...suspects].map((id) => Buffer.from(JSON.stringify(id)));
  const derived = new Set([...suspects].filter((id) => id.startsWith('line-')));
  const place = placing(0);
  for await (const lines of walkForward(reader.file, 0, shape.size, reader.maxLineBytes)) {
    for (const raw of lines) {
      const line = place(raw);
      const id = idOf(reader, line, needles, derived);
      if (id === undefined || !suspects.delete(id)) continue;
      found.set(id, line.seq);
      if (suspects.size === 0) return found;
    }
  }
  return found;
}

function idOf(
  reader: HistoryReader,
  line: PlacedLine,
  needles: readonly Buffer[],
  derived: ReadonlySet<string>,
): string | undefined {
  const { bytes } = line.raw;
  if (bytes === undefined) return undefined;
  const own = needles.some((needle) => bytes.includes(needle));
  return own || derived.has(derivedId(line.seq)) ? messageOf(reader, line)?.id : undefined;
}

const searchBytes = 1024 * 1024;

async function idsInBytes(
  { file }: HistoryReader,
  shape: LogShape,
  ids: readonly string[],
): Promise<readonly string[]> {
  const sought = new Map(ids.map((id) => [id, Buffer.from(JSON.stringify(id))]));
  const overlap = Math.max(0, ...[...sought.values()].map((needle) => needle.length - 1));
  const met: string[] = [];
  for (let position = 0; position < shape.size && sought.size > 0; position += searchBytes) {
    const block = await readBlock(file, position, Math.min(searchBytes + overlap, shape.size - position));
    for (const [id, needle] of sought) {
      if (!block.includes(needle)) continue;
      met.push(id);
      sought.delete(id);
    }
  }
  return met;
}
