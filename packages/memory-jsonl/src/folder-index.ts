import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { JsonValue, SessionMeta } from '@x/session-store';
import { type Disk, isCode, syncFolder } from './disk.js';
import type { Layout } from './layout.js';
import { readBlock } from './line-walk.js';
import type { LogShape } from './log-shape.js';
import { newEntry, type SessionEntry } from './session-entry.js';
import type { SessionTable } from './session-table.js';

/*
 * What all metadata files say, in one file: written when the folder is closed, believed when it is opened while the
 * folder has the time that it had then. Metadata is only ever renamed into the folder, by us and by PicoClaw, so that
 * every change of it changes that time; a history that was written to otherwise shows its length when it is first
 * used. A writer puts the index aside as it opens: after a crash the metadata files are read.
 *
 *   holdfast-index 1 <time of the folder> <length of heads> <checksum of heads>\n<heads><a record for each session>
 */

/** What is needed of every session before anybody asks for it; a column for each, by activity. */
interface Heads {
  readonly keys: readonly string[];
  /** 0 where it is the key. */
  readonly names: readonly (string | 0)[];
  readonly times: readonly string[];
  readonly aliases: readonly (readonly string[] | 0)[];
  readonly lengths: readonly number[];
  readonly checksums: readonly number[];
  readonly namedByFile: readonly string[];
}

interface IndexRecord {
  readonly meta: SessionMeta;
  readonly log: LogShape;
  readonly untimedAt: string;
  readonly namedByFile: boolean;
  readonly others: { readonly [name: string]: JsonValue };
}

export interface FolderIndex {
  readonly heads: Heads;
  nameAt(row: number): string;
  /** Undefined where the record is damaged. */
  entryAt(row: number): SessionEntry | undefined;
  /** The record as it lies there. */
  bytesAt(row: number): Buffer;
  close(): Promise<void>;
}

/** Stamps of files are this exact: what changes twice within it has one time. */
const clockStepMs = 20;
const headerBytes = 96;

/** Undefined where there is no index, or none that can be believed. To be closed. */
export async function openIndex(disk: Disk, layout: Layout): Promise<FolderIndex | undefined> {
  const file = await disk.open(layout.index, 'r').catch((error: unknown) => {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const index = await readHeads(disk, layout, file);
  if (index === undefined) await file.close();
  return index;
}

async function readHeads(disk: Disk, layout: Layout, file: FileHandle): Promise<FolderIndex | undefined> {
  const opening = /^holdfast-index 1 ([\d.]+) (\d+) (\d+)\n/.exec(
    (await readBlock(file, 0, headerBytes)).toString('latin1'),
  );
  if (opening === null) return undefined;
  const [time, length = 0, checksum] = opening.slice(1).map(Number);
  if (time !== disk.statNow(layout.folder)?.mtimeMs) return undefined;
  const bytes = await readBlock(file, opening[0].length, length);
  if (crc32(bytes) !== checksum) return undefined;
  const heads = JSON.parse(bytes.toString('utf8')) as Heads;
  const starts = new Float64Array(heads.keys.length);
  let start = opening[0].length + length;
  for (const [row, each] of heads.lengths.entries()) {
    starts[row] = start;
    start += each;
  }
  const bytesAt = (row: number) => {
    const record = Buffer.allocUnsafe(heads.lengths[row] ?? 0);
    return record.subarray(0, disk.readAtNow(file, record, 0, record.length, starts[row] ?? 0));
  };
  const nameAt = (row: number) => heads.names[row] || (heads.keys[row] ?? '');
  return {
    heads,
    nameAt,
    bytesAt,
    entryAt(row) {
      const record = bytesAt(row);
      if (crc32(record) !== heads.checksums[row]) return undefined;
      return entryOf(disk, layout, nameAt(row), JSON.parse(record.toString('utf8')) as IndexRecord);
    },
    close: () => file.close(),
  };
}

function entryOf(disk: Disk, layout: Layout, name: string, record: IndexRecord): SessionEntry {
  const { meta, log, untimedAt, namedByFile, others } = record;
  const size = disk.statNow(layout.history(name))?.size ?? 0;
  return {
    ...newEntry(meta.key, name, meta),
    log: size === log.size ? log : undefined,
    fileSize: size,
    known: { log, skip: log.hidden },
    untimedAt,
    namedByFile,
    others,
    file: 'current',
  };
}

/** The index is put aside: from here on it does not follow what happens to the folder. */
export async function putIndexAside(disk: Disk, layout: Layout): Promise<void> {
  await disk.rename(layout.index, layout.indexAside);
  await syncFolder(disk, layout.own);
}

/** Writes the index of a folder whose metadata files are all written. */
export async function writeIndex(
  disk: Disk,
  layout: Layout,
  sessions: SessionTable,
  before: FolderIndex | undefined,
): Promise<void> {
  // A change by another program must not fall into the same step of the clock as our last one.
  await new Promise((resolve) => setTimeout(resolve, clockStepMs));
  const time = disk.statNow(layout.folder)?.mtimeMs;
  if (time === undefined || time > Date.now() - clockStepMs / 2) return;
  const names: (string | 0)[] = [];
  const aliases: (readonly string[] | 0)[] = [];
  const namedByFile: string[] = [];
  const keys = [...sessions.keysByActivity()];
  const times: string[] = [];
  const records = keys.map((key) => {
    const row = sessions.rowOf(key);
    if (row !== undefined && before !== undefined) {
      const { heads } = before;
      names.push(heads.names[row] ?? 0);
      aliases.push(heads.aliases[row] ?? 0);
      times.push(heads.times[row] ?? '');
      if (heads.namedByFile.includes(key)) namedByFile.push(key);
      return before.bytesAt(row);
    }
    const entry = sessions.get(key);
    if (entry?.log === undefined)
      throw new Error(`The history of "${key}" was not looked at before the index.`);
    const { meta, log, untimedAt, others } = entry;
    names.push(entry.name === key ? 0 : entry.name);
    aliases.push(meta.aliases.length === 0 ? 0 : meta.aliases);
    times.push(meta.activeAt);
    if (entry.namedByFile) namedByFile.push(key);
    const record: IndexRecord = { meta, log, untimedAt, namedByFile: entry.namedByFile, others };
    return Buffer.from(JSON.stringify(record));
  });
  const heads: Heads = {
    keys,
    names,
    times,
    aliases,
    lengths: records.map(({ length }) => length),
    checksums: records.map((record) => crc32(record)),
    namedByFile,
  };
  const headBytes = Buffer.from(JSON.stringify(heads));
  const opening = Buffer.from(`holdfast-index 1 ${time} ${headBytes.length} ${crc32(headBytes)}\n`);
  const file = await disk.open(layout.indexAside, 'w');
  try {
    // Not synced: a power cut leaves one whose checksums are wrong, or none.
    await file.writeFile(Buffer.concat([opening, headBytes, ...records]));
  } finally {
    await file.close();
  }
  await disk.rename(layout.indexAside, layout.index);
}
