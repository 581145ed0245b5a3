import { isAscii } from 'node:buffer';
import type { StoredMessage } from '@x/session-store';
import type { HistoryReader } from './history-reader.js';
import { readBlock } from './line-walk.js';
import { decodeOwnLine } from './message-line.js';

/*
 * The short way through a history that we wrote: a block is text at once, and a line of it is parsed and no more.
 * Whatever it meets that is not a line of ours leaves the reading to the long way, which tells what is wrong.
 */

/** Part of a history in which every line carries its seq, and seqs rise. `from` and `to` are bounds of lines. */
export interface OwnLines {
  readonly from: number;
  readonly to: number;
  /** Both exclusive. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
}

const firstBytes = 16 * 1024;
const mostBytes = 1024 * 1024;

/** The messages in the order of the file; undefined where a line is not ours. */
export async function ownLinesForward(
  reader: HistoryReader,
  { from, to, after, before, limit }: OwnLines,
): Promise<StoredMessage[] | undefined> {
  const found: StoredMessage[] = [];
  let last = 0;
  let position = from;
  let size = limit < 100 ? firstBytes : mostBytes;
  let reading = block(reader, position, to, size);
  while (position < to) {
    const bytes = await reading;
    const end = position + bytes.length < to ? bytes.lastIndexOf(newline) + 1 : bytes.length;
    if (bytes.length === 0 || (end === 0 && size === mostBytes)) return undefined;
    position += end;
    size = mostBytes;
    // The disk has the next one while this one is parsed.
    reading = block(reader, position, to, size);
    const text = textOf(bytes.subarray(0, end));
    if (text === undefined) return undefined;
    for (let start = 0; start < text.length; ) {
      const mark = text.indexOf('\n', start);
      const stop = mark < 0 ? text.length : mark;
      const message = decodeOwnLine(text.slice(start, stop), reader.untimedAt);
      if (message === undefined || message.seq <= last) return undefined;
      last = message.seq;
      start = stop + 1;
      if (last <= after) continue;
      if (last >= before || found.push(message) >= limit) return found;
    }
  }
  return found;
}

/** The messages from the end to the front; undefined where a line is not ours. */
export async function ownLinesBackward(
  reader: HistoryReader,
  { from, to, after, before, limit }: OwnLines,
): Promise<StoredMessage[] | undefined> {
  const found: StoredMessage[] = [];
  let last = Number.MAX_SAFE_INTEGER;
  let end = to;
  let size = firstBytes;
  while (end > from) {
    const start = Math.max(from, end - size);
    const bytes = await readBlock(reader.file, start, end - start);
    if (bytes.length < end - start) return undefined;
    // The line that begins ahead of the block is for the next one.
    const cut = start === from ? 0 : bytes.indexOf(newline) + 1;
    const isWithinLine = start > from && (cut === 0 || cut === bytes.length);
    if (isWithinLine && size === mostBytes) return undefined;
    size = Math.min(4 * size, mostBytes);
    if (isWithinLine) continue;
    end = start + cut;
    const text = textOf(bytes.subarray(cut));
    if (text === undefined) return undefined;
    for (let stop = text.endsWith('\n') ? text.length - 1 : text.length; stop > 0; ) {
      const begin = text.lastIndexOf('\n', stop - 1) + 1;
      const message = decodeOwnLine(text.slice(begin, stop), reader.untimedAt);
      if (message === undefined || message.seq >= last) return undefined;
      last = message.seq;
      stop = begin - 1;
      if (last >= before) continue;
      if (last <= after || found.push(message) >= limit) return found;
    }
  }
  return found;
}

const newline = 10;

/** Not awaited when it is begun: an error waits for whoever asks. */
function block({ file }: HistoryReader, position: number, to: number, most: number): Promise<Buffer> {
  const reading = readBlock(file, position, Math.min(most, to - position));
  reading.catch(() => {});
  return reading;
}

/** Undefined where the bytes are no UTF-8 text, perhaps. */
function textOf(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? undefined : text;
}
