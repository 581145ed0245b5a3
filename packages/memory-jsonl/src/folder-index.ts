import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { JsonValue, SessionMeta } from '@x/session-store';
import { type Disk, isCode, syncFolder } from './disk.js';
import type { Layout } from './layout.js';
import { readBlock } from './line-walk.js';
import type { LogShape } from './log-shape.js';
import { newEntry, type SessionEntry } from './session-entry.js';
import type { SessionTable } from './session-table.js';

/*
 * What all metadata files say, in one file: written when the folder is closed, believed as it stands when it is opened
 * while the folder has the time that it had then. Metadata is only ever renamed into the folder, by us and by PicoClaw,
 * so that every change of it changes that time; a history that was written to otherwise shows its length when it is
 * first used. A writer puts the index aside as it opens: after a crash it is believed of those sessions whose files
 * bear its stamps.
 *
 *   holdfast-index 2 <time of the folder> <length of heads> <checksum of heads>\n
 *   <heads><a stamp for each session: two doubles><a record for each session>
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
  readonly deleted: readonly string[];
  readonly stampsChecksum: number;
}

/** What shows that the files of a session are those that the index tells of. */
export interface IndexStamp {
  /** Bytes of the history. */
  readonly size: number;
  /** When the metadata file came to be where it is: a rename changes it, and nothing sets it. */
  readonly metaChangedMs: number;
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
  /** True while the folder is as it was left: nothing has to be looked at. */
  readonly isCurrent: boolean;
  nameAt(row: number): string;
  /** Undefined where the record is damaged. */
  entryAt(row: number): SessionEntry | undefined;
  stampAt(row: number): IndexStamp;
  /** The record as it lies there. */
  bytesAt(row: number): Buffer;
  close(): Promise<void>;
}

/** Stamps of files are this exact: what changes twice within it has one time. */
const clockStepMs = 20;
const headerBytes = 96;
const stampBytes = 16;

/** Undefined where there is none that can be believed: for a reader, none of a folder that was closed. To be closed. */
export async function openIndex(
  disk: Disk,
  layout: Layout,
  readOnly: boolean,
): Promise<FolderIndex | undefined> {
  for (const path of readOnly ? [layout.index] : [layout.index, layout.indexAside]) {
    const file = await disk.open(path, 'r').catch((error: unknown) => {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    });
    if (file === undefined) continue;
    const index = await readHeads(disk, layout, file, path === layout.index);
    if (index !== undefined && (index.isCurrent || !readOnly)) return index;
    await file.close();
  }
  return undefined;
}

async function readHeads(
  disk: Disk,
  layout: Layout,
  file: FileHandle,
  wasClosed: boolean,
): Promise<FolderIndex | undefined> {
  const opening = /^holdfast-index 2 ([\d.]+) (\d+) (\d+)\n/.exec(
    (await readBlock(file, 0, headerBytes)).toString('latin1'),
  );
  if (opening === null) return undefined;
  const [time, length = 0, checksum] = opening.slice(1).map(Number);
  const bytes = await readBlock(file, opening[0].length, length);
  if (crc32(bytes) !== checksum) return undefined;
  const heads = JSON.parse(bytes.toString('utf8')) as Heads;
  const stampsAt = opening[0].length + length;
  const isCurrent = wasClosed && time === disk.statNow(layout.folder)?.mtimeMs;
  const stamps = isCurrent ? undefined : await readBlock(file, stampsAt, stampBytes * heads.keys.length);
  if (stamps !== undefined && crc32(stamps) !== heads.stampsChecksum) return undefined;
  const starts = new Float64Array(heads.keys.length);
  let start = stampsAt + stampBytes * heads.keys.length;
  for (const [row, each] of heads.lengths.entries()) {
    starts[row] = start;
    start += each;
  }
  const bytesFrom = (position: number, count: number) => {
    const found = Buffer.allocUnsafe(count);
    return found.subarray(0, disk.readAtNow(file, found, 0, count, position));
  };
  const bytesAt = (row: number) => bytesFrom(starts[row] ?? 0, heads.lengths[row] ?? 0);
  const nameAt = (row: number) => heads.names[row] || (heads.keys[row] ?? '');
  return {
    heads,
    isCurrent,
    nameAt,
    bytesAt,
    entryAt(row) {
      const record = bytesAt(row);
      if (crc32(record) !== heads.checksums[row]) return undefined;
      return entryOf(disk, layout, nameAt(row), JSON.parse(record.toString('utf8')) as IndexRecord);
    },
    stampAt(row) {
      const stamp =
        stamps?.subarray(stampBytes * row, stampBytes * (row + 1)) ??
        bytesFrom(stampsAt + stampBytes * row, stampBytes);
      return { size: stamp.readDoubleLE(0), metaChangedMs: stamp.readDoubleLE(8) };
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
  await disk.rename(layout.index, layout.indexAside).catch((error: unknown) => {
    // It lies aside since the folder was left by a crash.
    if (!isCode(error, 'ENOENT')) throw error;
  });
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
  const keys = [...sessions.keysByActivity()];
  const times: string[] = [];
  const namedByFile = new Set(before?.heads.namedByFile);
  const deleted = new Set(before?.heads.deleted);
  const stamps = Buffer.alloc(stampBytes * keys.length);
  const stamp = (place: number, { size, metaChangedMs }: IndexStamp) => {
    stamps.writeDoubleLE(size, stampBytes * place);
    stamps.writeDoubleLE(metaChangedMs, stampBytes * place + 8);
  };
  const records = keys.map((key, place) => {
    const row = sessions.rowOf(key);
    if (row !== undefined && before !== undefined) {
      const { heads } = before;
      names.push(heads.names[row] ?? 0);
      aliases.push(heads.aliases[row] ?? 0);
      times.push(heads.times[row] ?? '');
      stamp(place, before.stampAt(row));
      return before.bytesAt(row);
    }
    const entry = sessions.get(key);
    if (entry?.log === undefined)
      throw new Error(`The history of "${key}" was not looked at before the index.`);
    const { meta, log, untimedAt, others } = entry;
    names.push(entry.name === key ? 0 : entry.name);
    aliases.push(meta.aliases.length === 0 ? 0 : meta.aliases);
    times.push(meta.activeAt);
    if (entry.namedByFile) namedByFile.add(key);
    else namedByFile.delete(key);
    if (meta.deletedAt !== undefined) deleted.add(key);
    else deleted.delete(key);
    const metaChangedMs = disk.statNow(layout.meta(entry.name))?.ctimeMs ?? 0;
    stamp(place, { size: log.size, metaChangedMs });
    const record: IndexRecord = { meta, log, untimedAt, namedByFile: entry.namedByFile, others };
    return Buffer.from(JSON.stringify(record));
  });
  const isThere = (key: string) => sessions.has(key);
  const heads: Heads = {
    keys,
    names,
    times,
    aliases,
    lengths: records.map(({ length }) => length),
    checksums: records.map((record) => crc32(record)),
    namedByFile: [...namedByFile].filter(isThere),
    deleted: [...deleted].filter(isThere),
    stampsChecksum: crc32(stamps),
  };
  const headBytes = Buffer.from(JSON.stringify(heads));
  const opening = Buffer.from(`holdfast-index 2 ${time} ${headBytes.length} ${crc32(headBytes)}\n`);
  const staged = join(layout.staged, 'index');
  const file = await disk.open(staged, 'w');
  try {
    // Not synced: a power cut leaves one whose checksums are wrong, or none.
    await file.writeFile(Buffer.concat([opening, headBytes, stamps, ...records]));
  } finally {
    await file.close();
  }
  await disk.rename(staged, layout.index);
  await disk.unlink(layout.indexAside).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
  });
}
