import { crc32 } from 'node:zlib';

/*
 * One record of the shared journal:
 *
 *   holdfast <generation> <number> <length of head> <length of lines> <checksum>\n<head>\n<lines>
 *
 * `generation` tells the records of one filling of the file from those that an earlier one left behind it; `number`
 * counts within it. What does not fit, or whose checksum is wrong, ends the journal: it was never acknowledged.
 */

/** Bytes that belong into a history file at a place. */
export interface JournalPart {
  /** The name of the session's files. */
  readonly name: string;
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface JournalRecord {
  readonly parts: readonly JournalPart[];
  /** Histories that are whole without the journal: what earlier records say of these names no longer counts. */
  readonly settled: readonly string[];
}

interface Head {
  readonly parts: readonly (readonly [name: string, at: number, length: number])[];
  readonly settled: readonly string[];
}

export function encodeRecord(generation: number, number: number, record: JournalRecord): Buffer {
  const head: Head = {
    parts: record.parts.map(({ name, at, bytes }) => [name, at, bytes.length]),
    settled: record.settled,
  };
  const headText = `${JSON.stringify(head)}\n`;
  const headLength = Buffer.byteLength(headText);
  let length = openingBytes + headLength;
  for (const { bytes } of record.parts) length += bytes.length;
  const buffer = Buffer.allocUnsafe(length);
  let end = openingBytes + buffer.write(headText, openingBytes);
  for (const { bytes } of record.parts) {
    buffer.set(bytes, end);
    end += bytes.length;
  }
  const body = buffer.subarray(openingBytes, end);
  const opening = `holdfast ${generation} ${number} ${headLength} ${body.length - headLength} ${crc32(body)}\n`;
  // The opening ends where the body begins.
  const start = openingBytes - opening.length;
  buffer.write(opening, start, 'latin1');
  return buffer.subarray(start, end);
}

/** Room for the longest opening. */
const openingBytes = 96;
const opening = /^holdfast (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,10})\n/;

export interface Journal {
  /** 0 for a journal without a record. */
  readonly generation: number;
  readonly records: readonly JournalRecord[];
}

/** All records of a journal file, up to the first that is not whole. */
export function decodeJournal(content: Buffer): Journal {
  const records: JournalRecord[] = [];
  let generation = 0;
  for (let position = 0; ; ) {
    const found = opening.exec(content.toString('latin1', position, position + 96));
    if (found === null) break;
    const [own = 0, number = 0, headLength = 0, linesLength = 0, checksum = 0] = found.slice(1).map(Number);
    if (records.length === 0) generation = own;
    const start = position + found[0].length;
    const end = start + headLength + linesLength;
    if (own !== generation || number !== records.length + 1 || end > content.length) break;
    const body = content.subarray(start, end);
    if (crc32(body) !== checksum) break;
    records.push(decodeBody(body, headLength));
    position = end;
  }
  return { generation: records.length === 0 ? 0 : generation, records };
}

function decodeBody(body: Buffer, headLength: number): JournalRecord {
  const { parts, settled } = JSON.parse(body.toString('utf8', 0, headLength)) as Head;
  let position = headLength;
  return {
    settled,
    parts: parts.map(([name, at, length]) => {
      position += length;
      return { name, at, bytes: body.subarray(position - length, position) };
    }),
  };
}
