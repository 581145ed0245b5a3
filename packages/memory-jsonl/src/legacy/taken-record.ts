import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Disk, isCode, moveSynced, writeSynced } from '../disk.js';
import { takenRecord } from './legacy-folder.js';

/** Digests of the files whose sessions were moved for good, with their names at that time. */
export type Taken = ReadonlyMap<string, string>;

const recordSchema = z.object({ version: z.literal(1), taken: z.record(z.string(), z.string()) });

/** Throws where a record is there and cannot be understood: without it, old files could be taken again. */
export async function readTaken(directory: string): Promise<Taken> {
  const path = takenRecord(directory);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return new Map();
    throw error;
  }
  try {
    return new Map(Object.entries(recordSchema.parse(JSON.parse(text)).taken));
  } catch (cause) {
    throw new Error(`${path} cannot be read: it tells which older files were moved already.`, { cause });
  }
}

/** All or nothing, and safe from a power cut when it resolves. */
export async function writeTaken(disk: Disk, directory: string, taken: Taken): Promise<void> {
  const path = takenRecord(directory);
  await mkdir(dirname(path), { recursive: true });
  const made = `${path}.${randomUUID()}`;
  try {
    const record = { version: 1, taken: Object.fromEntries(taken) };
    await writeSynced(disk, made, `${JSON.stringify(record, undefined, 2)}\n`);
    await moveSynced(disk, made, path);
  } catch (error) {
    await disk.unlink(made).catch(() => {});
    throw error;
  }
}
