import type { StoredMessage } from '@x/session-store';
import type { Finding } from './finding.js';
import { lineNumberAt, type RawLine, type ReadableFile } from './line-walk.js';
import { decodeLine, headOf, type LineHead, picoclawLineBytes } from './message-line.js';

/** One history file opened for reading, and what the meaning of its lines depends on. */
export interface HistoryReader {
  readonly file: ReadableFile;
  readonly path: string;
  readonly key: string;
  /** The time given to lines that carry none. */
  readonly untimedAt: string;
  readonly maxLineBytes: number;
  /** What was met on the way, for `publish`. */
  readonly met: Encounter[];
}

interface Encounter {
  readonly code: Finding['code'];
  readonly line: RawLine;
}

/** A line with its place in the session. A line without a seq of its own, readable or not, has the one before it + 1. */
export interface PlacedLine {
  readonly raw: RawLine;
  readonly head: LineHead;
  readonly seq: number;
}

const unreadHead: LineHead = { seq: undefined, more: 0 };

/** Places lines in the order of the file. `before` is the seq of the line ahead of the first. */
export function placing(before: number) {
  let last = before;
  return (raw: RawLine): PlacedLine & { readonly rises: boolean } => {
    const head = raw.bytes === undefined ? unreadHead : headOf(raw.bytes);
    const rises = head.seq === undefined || head.seq > last;
    last = head.seq !== undefined && rises ? head.seq : last + 1;
    return { raw, head, seq: last, rises };
  };
}

/** Places lines in the reverse order of a file whose seqs rise. `behind` is the seq after the last. */
export function placingBackward(behind: number) {
  let next = behind;
  return (raw: RawLine): PlacedLine => {
    const head = raw.bytes === undefined ? unreadHead : headOf(raw.bytes);
    next = head.seq ?? next - 1;
    return { raw, head, seq: next };
  };
}

/** The message of a line, if it is one; what is wrong with the line is kept for `publish`. */
export function messageOf(reader: HistoryReader, { raw, seq }: PlacedLine): StoredMessage | undefined {
  const { bytes } = raw;
  if (raw.length >= picoclawLineBytes) reader.met.push({ code: 'long-line', line: raw });
  if (bytes === undefined) return undefined;
  const { message, damaged } = decodeLine(bytes, seq, reader.untimedAt);
  if (message === undefined)
    reader.met.push({ code: raw.ended ? 'unreadable-line' : 'torn-line', line: raw });
  else if (damaged) reader.met.push({ code: 'damaged-text', line: raw });
  return message;
}

/** Hands what was met to `report`, with line numbers. `numbered`: the walk began at the start of the file. */
export async function publish(reader: HistoryReader, numbered: boolean, report: LineReport): Promise<void> {
  for (const { code, line } of reader.met.splice(0)) {
    if (report.isKnown(code, reader.path, line.offset)) continue;
    const number = numbered ? line.number : await lineNumberAt(reader.file, line.offset);
    report.add(
      {
        code,
        path: reader.path,
        key: reader.key,
        line: number,
        bytes: line.length,
        message: sentence(code, reader, number, line),
      },
      line.offset,
    );
  }
}

export interface LineReport {
  isKnown(code: Finding['code'], path: string, offset: number): boolean;
  add(finding: Finding, offset: number): void;
}

function sentence(
  code: Finding['code'],
  { path, maxLineBytes }: HistoryReader,
  number: number,
  { length }: RawLine,
): string {
  const place = `${path}, line ${number}`;
  if (code === 'long-line') {
    const fate =
      length > maxLineBytes ? 'it is kept in the file but not returned' : 'PicoClaw will not read this file';
    return `${place} is ${length} bytes long: ${fate}.`;
  }
  if (code === 'torn-line')
    return `${place} was cut off after ${length} bytes: kept in the file, not returned; the next message begins on a line of its own.`;
  if (code === 'damaged-text')
    return `${place} holds bytes that are no UTF-8 text, or begins with a byte order mark: read without them.`;
  if (code === 'unfinished-append')
    return `${place} begins an append that was cut off before it was acknowledged: its messages do not count.`;
  if (code === 'dropped-line')
    return `${place} could not be read and lay among messages that were removed: it went with them.`;
  if (code === 'seq-order')
    return `${place} carries a seq that does not rise: the lines of this file count in their order.`;
  return `${place} is not one JSON message (${length} bytes): kept in the file, not returned.`;
}
