import type { FileHandle } from 'node:fs/promises';
import type { StoredMessage } from '@x/session-store';
import type { Disk } from './disk.js';
import { type HistoryReader, type PlacedLine, placing } from './history-reader.js';
import { type RawLine, type ReadableFile, readBlock, walkForward } from './line-walk.js';
import { emptyLog, type LogShape } from './log-shape.js';
import { encodeLine, numbered, untied } from './message-line.js';

const writeBytes = 1024 * 1024;
const newline = Buffer.from('\n');

export interface RewriteSource {
  readonly reader: HistoryReader;
  readonly log: LogShape;
  /** The start of a line; what lies before is dropped without a look at it. */
  readonly from: number;
}

export interface Rewrite {
  /** Histories one behind the other; those of no lines can be left out. */
  readonly sources: readonly RewriteSource[];
  /** Lines with `dropThrough < seq <= dropAfter` are kept, unreadable ones too. */
  readonly dropThrough: number;
  readonly dropAfter: number;
  readonly append: readonly StoredMessage[];
  readonly cutoff: number;
}

/**
 * Writes a new history file, synced, and tells its shape. Lines of ours are copied byte for byte; those of other
 * programs get the seq, id and time that they were known by, so that nothing changes its place.
 */
export async function writeRewritten(disk: Disk, path: string, rewrite: Rewrite): Promise<LogShape> {
  const output = await disk.open(path, 'wx', 0o644);
  try {
    const writer = createLineWriter(output, rewrite.cutoff);
    for (const { reader, log, from } of rewrite.sources) {
      const place = placing(0);
      for await (const lines of walkForward(reader.file, from, log.size, reader.maxLineBytes)) {
        for (const raw of lines) await copyLine(rewrite, reader, place(raw), writer);
      }
    }
    for (const message of rewrite.append) await writer.line(Buffer.from(encodeLine(message)), message.seq);
    const shape = await writer.finish();
    await output.datasync();
    return shape;
  } finally {
    await output.close();
  }
}

async function copyLine(
  { dropThrough, dropAfter }: Rewrite,
  reader: HistoryReader,
  line: PlacedLine,
  writer: LineWriter,
): Promise<void> {
  const { raw, head, seq } = line;
  if (seq <= dropThrough || seq > dropAfter) {
    if (!looksWhole(line) && numbered(raw.bytes ?? newline, seq, reader.untimedAt) === undefined) {
      reader.met.push({ code: 'dropped-line', line: raw });
    }
    return;
  }
  if (raw.bytes === undefined) return writer.copy(reader.file, raw);
  if (head.seq === seq) return writer.line(Buffer.concat([untied(raw.bytes, head), newline]), seq);
  const own = numbered(raw.bytes, seq, reader.untimedAt);
  return writer.line(Buffer.concat([own ?? raw.bytes, newline]), own === undefined ? undefined : seq);
}

/** A line of ours that was not cut, as far as its two ends tell. */
function looksWhole({ raw, head, seq }: PlacedLine): boolean {
  return head.seq === seq && raw.bytes?.at(-1) === 125;
}

export interface LineWriter {
  /** `seq` undefined: a line that carries none. */
  line(bytes: Buffer, seq: number | undefined): Promise<void>;
  /** A line too long to be held in memory, as it is. */
  copy(file: ReadableFile, raw: RawLine): Promise<void>;
  finish(): Promise<LogShape>;
}

/** Writes lines behind each other and keeps the shape of what is there; `cutoff` tells which are hidden. */
export function createLineWriter(output: FileHandle, cutoff: number): LineWriter {
  let shape = emptyLog;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  function count(bytes: number, seq: number | undefined): void {
    const placed = seq ?? shape.tailSeq + 1;
    shape = {
      ...shape,
      size: shape.size + bytes,
      lines: shape.lines + 1,
      hidden: shape.hidden + (placed <= cutoff ? 1 : 0),
      regular: shape.regular && placed > shape.tailSeq,
      tailSeq: Math.max(placed, shape.tailSeq + 1),
    };
  }
  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    await writeAll(output, bytes);
  }

  return {
    async line(bytes, seq) {
      count(bytes.length, seq);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= writeBytes) await flush();
    },
    async copy(file, raw) {
      await flush();
      count(raw.length + 1, undefined);
      for (let position = raw.offset; position < raw.offset + raw.length; position += writeBytes) {
        const length = Math.min(writeBytes, raw.offset + raw.length - position);
        await writeAll(output, await readBlock(file, position, length));
      }
      await writeAll(output, newline);
    },
    async finish() {
      await flush();
      return shape;
    },
  };
}

/** Writes all bytes at the end of the file, however many calls that takes. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
