import { type HistoryReader, type PlacedLine, placing } from './history-reader.js';
import { walkForward } from './line-walk.js';

/** What is known of a history file without reading it. Lines are those that are not empty, unreadable ones included. */
export interface LogShape {
  /** Bytes that count: all but an append that was cut off. */
  readonly size: number;
  readonly lines: number;
  /** Lines up to the cutoff: PicoClaw's `skip`. */
  readonly hidden: number;
  /** The seq of the last line; 0 where there is none. */
  readonly tailSeq: number;
  /** Every readable line carries its own seq. */
  readonly explicit: boolean;
  /** Seqs rise, and none is left out behind a line without one: the file can be numbered from its end. */
  readonly regular: boolean;
  /** `open`: the last line has no end. `excess`: behind `size` lies what was never acknowledged. */
  readonly tail: 'clean' | 'open' | 'excess';
}

export const emptyLog: LogShape = {
  size: 0,
  lines: 0,
  hidden: 0,
  tailSeq: 0,
  explicit: true,
  regular: true,
  tail: 'clean',
};

/** The shape after lines of ours, each with its own seq, were written behind the others. */
export function withLines(
  shape: LogShape,
  lines: {
    readonly count: number;
    readonly bytes: number;
    readonly firstSeq: number;
    readonly lastSeq: number;
  },
): LogShape {
  return {
    size: shape.size + lines.bytes,
    lines: shape.lines + lines.count,
    hidden: shape.hidden,
    tailSeq: lines.lastSeq,
    explicit: shape.explicit,
    regular: shape.regular && (shape.explicit || lines.firstSeq === shape.tailSeq + 1),
    tail: 'clean',
  };
}

/**
 * Reads a file of `fileSize` bytes from where `known` ends and returns its whole shape, `hidden` aside. `visit` gets
 * each line that counts, with its number among them, and says whether it is a message. Lines of an append that was
 * cut off are left out: an append is there with all its messages or not at all.
 */
export async function survey(
  reader: HistoryReader,
  known: LogShape,
  fileSize: number,
  visit: (line: PlacedLine, index: number) => boolean,
): Promise<LogShape> {
  const place = placing(known.tailSeq);
  let shape: LogShape = { ...known, tail: 'clean' };
  // The lines of an append whose last one has not been met yet, and the shape before them.
  let held: PlacedLine[] = [];
  let beforeHeld = shape;

  function count(line: PlacedLine & { readonly rises: boolean }, isMessage: boolean): void {
    if (!line.rises) reader.met.push({ code: 'seq-order', line: line.raw });
    shape = {
      ...shape,
      size: line.raw.end,
      lines: shape.lines + 1,
      tailSeq: line.seq,
      explicit: shape.explicit && (line.head.seq !== undefined || !isMessage),
      regular: shape.regular && line.rises && (shape.explicit || line.seq === shape.tailSeq + 1),
      tail: line.raw.ended ? 'clean' : 'open',
    };
  }
  function release(): void {
    for (const [index, line] of held.entries()) visit(line, beforeHeld.lines + index + 1);
    held = [];
  }

  for await (const lines of walkForward(reader.file, known.size, fileSize, reader.maxLineBytes)) {
    for (const raw of lines) {
      const line = place(raw);
      const awaited = held.at(-1)?.head.more;
      // Another program went on behind an append that was cut off: too late to take its lines away.
      if (awaited !== undefined && raw.ended && line.head.more !== awaited - 1) release();
      if (line.head.more > 0 || (held.length > 0 && !raw.ended)) {
        if (held.length === 0) beforeHeld = shape;
        held.push(line);
        count(line, true);
      } else if (held.length > 0) {
        held.push(line);
        count(line, true);
        release();
      } else {
        count(line, visit(line, shape.lines + 1));
      }
    }
  }
  const [first] = held;
  // Empty lines at the end count as bytes, not as lines.
  if (first === undefined) return { ...shape, size: Math.max(shape.size, fileSize) };
  reader.met.push({ code: 'unfinished-append', line: first.raw });
  return { ...beforeHeld, tail: 'excess' };
}
