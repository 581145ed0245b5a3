/** What reading takes of a file. */
export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** One line that is not empty, as PicoClaw counts lines: an end of `\r\n` is taken off as `\n` is. */
export interface RawLine {
  /** Where it begins in the file. */
  readonly offset: number;
  /** Where the next one begins. */
  readonly end: number;
  /** Without its end; undefined where it is longer than the limit, and was not kept in memory. */
  readonly bytes: Buffer | undefined;
  readonly length: number;
  /** False for a last line without `\n`. */
  readonly ended: boolean;
  /** Counted from 1 at the start of a forward walk, empty lines included; 0 in a backward walk. */
  readonly number: number;
}

const newline = 10;
const carriageReturn = 13;
const blockBytes = 256 * 1024;
const firstBlockBytes = 64 * 1024;
/** Most ends that are asked for are short. */
const lastBlockBytes = 16 * 1024;

/** The lines of `[from, to)`, a block at a time. `from` is the start of a line. */
export async function* walkForward(
  file: ReadableFile,
  from: number,
  to: number,
  maxLineBytes: number,
): AsyncGenerator<readonly RawLine[]> {
  let number = 1;
  let lineStart = from;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let position = from;
  let size = firstBlockBytes;
  while (position < to) {
    const block = await readBlock(file, position, Math.min(size, to - position));
    if (block.length === 0) break;
    size = blockBytes;
    const lines: RawLine[] = [];
    let start = 0;
    for (let stop = block.indexOf(newline); stop >= 0; stop = block.indexOf(newline, start)) {
      const line = rawLine(
        pending,
        pendingBytes,
        block.subarray(start, stop),
        lineStart,
        maxLineBytes,
        true,
        number,
      );
      if (line !== undefined) lines.push(line);
      number += 1;
      pending = [];
      pendingBytes = 0;
      start = stop + 1;
      lineStart = position + start;
    }
    if (start < block.length) {
      const rest = block.subarray(start);
      pendingBytes += rest.length;
      if (pendingBytes > maxLineBytes) pending = [];
      else pending.push(rest);
    }
    position += block.length;
    if (lines.length > 0) yield lines;
  }
  if (pendingBytes > 0) {
    const line = rawLine(pending, pendingBytes, Buffer.alloc(0), lineStart, maxLineBytes, false, number);
    if (line !== undefined) yield [line];
  }
}

/** The lines of `[from, to)`, the last one first, a block at a time. Both bounds are starts of lines or the end. */
export async function* walkBackward(
  file: ReadableFile,
  from: number,
  to: number,
  maxLineBytes: number,
): AsyncGenerator<readonly RawLine[]> {
  // What was read of the line whose start has not been met yet; its end, `\n` included, is at `lineEnd`.
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let lineEnd = to;
  let ended = true;
  let position = to;
  let size = lastBlockBytes;
  while (position > from) {
    const start = Math.max(from, position - size);
    size = Math.min(4 * size, blockBytes);
    let block = await readBlock(file, start, position - start);
    if (position === to) {
      ended = block.at(-1) === newline;
      if (ended) block = block.subarray(0, -1);
    }
    const lines: RawLine[] = [];
    let stop = block.length;
    for (let mark = lastNewline(block, stop); mark >= 0; mark = lastNewline(block, stop)) {
      const offset = start + mark + 1;
      const line = joined(
        block.subarray(mark + 1, stop),
        pending,
        pendingBytes,
        offset,
        lineEnd,
        maxLineBytes,
        ended,
      );
      if (line !== undefined) lines.push(line);
      pending = [];
      pendingBytes = 0;
      ended = true;
      lineEnd = offset;
      stop = mark;
    }
    const rest = block.subarray(0, stop);
    pendingBytes += rest.length;
    if (pendingBytes > maxLineBytes) pending = [];
    else pending.unshift(rest);
    position = start;
    if (lines.length > 0) yield lines;
  }
  const line = joined(Buffer.alloc(0), pending, pendingBytes, from, lineEnd, maxLineBytes, ended);
  if (line !== undefined) yield [line];
}

function lastNewline(block: Buffer, before: number): number {
  return before === 0 ? -1 : block.lastIndexOf(newline, before - 1);
}

function joined(
  head: Buffer,
  pending: readonly Buffer[],
  pendingBytes: number,
  offset: number,
  end: number,
  maxLineBytes: number,
  ended: boolean,
): RawLine | undefined {
  const length = head.length + pendingBytes;
  if (length > maxLineBytes) return { offset, end, bytes: undefined, length, ended, number: 0 };
  const bytes = trimmed(pending.length === 0 ? head : Buffer.concat([head, ...pending]));
  return bytes.length === 0 ? undefined : { offset, end, bytes, length, ended, number: 0 };
}

function rawLine(
  pending: readonly Buffer[],
  pendingBytes: number,
  tail: Buffer,
  offset: number,
  maxLineBytes: number,
  ended: boolean,
  number: number,
): RawLine | undefined {
  const length = pendingBytes + tail.length;
  const end = offset + length + (ended ? 1 : 0);
  if (length > maxLineBytes) return { offset, end, bytes: undefined, length, ended, number };
  const bytes = trimmed(pending.length === 0 ? tail : Buffer.concat([...pending, tail]));
  return bytes.length === 0 ? undefined : { offset, end, bytes, length, ended, number };
}

function trimmed(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

/** The bytes at a place; fewer where the file ends. A fresh buffer each, since lines are views into it. */
export async function readBlock(file: ReadableFile, position: number, length: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(block, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === length ? block : block.subarray(0, filled);
}

/** The number of the line that begins at `offset`, counted from 1. */
export async function lineNumberAt(file: ReadableFile, offset: number): Promise<number> {
  let number = 1;
  for (let position = 0; position < offset; position += blockBytes) {
    const block = await readBlock(file, position, Math.min(blockBytes, offset - position));
    for (let mark = block.indexOf(newline); mark >= 0; mark = block.indexOf(newline, mark + 1)) number += 1;
  }
  return number;
}
