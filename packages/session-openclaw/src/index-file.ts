import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type JsonValue, StoreCorrupt } from '@x/session-store';
import { textIfThere } from './file-if-there.js';
import { type LockOptions, lockIndex } from './index-lock.js';
import { parseObject } from './json-object.js';
import { writeIndex } from './session-index.js';

export interface IndexUpdateOptions extends LockOptions {
  /** An index of this size or more is kept as `sessions.json.bak.<ms>` before it is replaced. Default 10 MB. */
  readonly rotateBytes?: number;
}

/** Backups that stay. */
const backupsKept = 3;

/** The entries of an index, to be changed in place. */
export type IndexEntries = Map<string, JsonValue>;

/**
 * Changes `sessions.json` under its lock: what others wrote before is there, what they write afterwards comes behind
 * it, and a crash leaves the file before or the file after. `change` may be called again where the lock was lost on
 * the way; where it returns false, the file stays as it is. Rejects with `StoreLocked` while another has it, and with
 * `StoreCorrupt` where the file is there and no JSON object: nothing is written over it.
 */
export async function updateIndex(
  path: string,
  change: (entries: IndexEntries) => boolean,
  options: IndexUpdateOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    const lock = await lockIndex(path, options);
    try {
      const text = await textIfThere(path);
      const entries: IndexEntries = new Map(entriesOf(path, text));
      if (!change(entries)) return;
      const after = writeIndex(entries);
      if (after === text) return;
      const part = await writePart(path, after);
      // Whoever took the lock in the meantime has begun with the file as it is: it must not go back behind that.
      if (!(await lock.isHeld())) {
        await unlink(part);
        continue;
      }
      if (text !== undefined && text.length >= (options.rotateBytes ?? 10 * 1024 * 1024))
        await keepBackup(path);
      await rename(part, path);
      await syncFolder(dirname(path));
      return;
    } finally {
      await lock.release();
    }
  }
}

function entriesOf(path: string, text: string | undefined): Iterable<readonly [string, JsonValue]> {
  if (text === undefined) return [];
  const index = parseObject(text);
  if (index !== undefined) return Object.entries(index);
  throw new StoreCorrupt(
    `${path} is no JSON object and is not written over. Put one of its backups in its place, or remove it.`,
    { path },
  );
}

/** The finished file under another name, where OpenClaw looks for such leftovers of a crash as well. */
async function writePart(path: string, text: string): Promise<string> {
  const part = `${path}.${process.pid}.${randomUUID()}.tmp`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return part;
}

/** A second name for the file that is about to be replaced; the oldest ones go. */
async function keepBackup(path: string): Promise<void> {
  const prefix = `${basename(path)}.bak.`;
  const folder = dirname(path);
  const ages = (await readdir(folder))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((one, other) => other - one);
  await link(path, join(folder, `${prefix}${Math.max(Date.now(), (ages[0] ?? 0) + 1)}`));
  for (const age of ages.slice(backupsKept - 1)) await unlink(join(folder, `${prefix}${age}`));
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
