import { isUtf8 } from 'node:buffer';

/** The lines of a file as they stand, carriage returns included. */
export interface TranscriptLines {
  readonly lines: readonly string[];
  /** False where the last line has no end. */
  readonly isEnded: boolean;
}

/** In front of a line that is no UTF-8 and stands here in base64; no line that is JSON begins with it. */
const BYTES = '\u0002';

/** Takes a file apart so that `joinLines` gives the same bytes again. */
export function splitLines(bytes: Buffer): TranscriptLines {
  const lines: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    lines.push(lineText(bytes.subarray(start, end < 0 ? bytes.length : end)));
    if (end < 0) return { lines, isEnded: false };
    start = end + 1;
  }
  return { lines, isEnded: true };
}

export function joinLines({ lines, isEnded }: TranscriptLines): Buffer {
  const parts = lines.map((line, index) => {
    const bytes = line.startsWith(BYTES) ? Buffer.from(line.slice(1), 'base64') : Buffer.from(line);
    return index < lines.length - 1 || isEnded ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes;
  });
  return Buffer.concat(parts);
}

function lineText(bytes: Buffer): string {
  const isPlain = isUtf8(bytes) && bytes[0] !== BYTES.charCodeAt(0);
  // A NUL, which no database keeps in a text, goes with the bytes.
  return isPlain && !bytes.includes(0) ? bytes.toString('utf8') : BYTES + bytes.toString('base64');
}
