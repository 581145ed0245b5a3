import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StoreLocked } from '@x/session-store';
import { type Disk, isCode, writeSynced } from './disk.js';
import type { Layout } from './layout.js';

/*
 * One writer a folder. The lock is a file that appears whole (a link to a finished one), names its holder, and
 * is only ever taken from a holder that is dead: a kill leaves no folder locked, a reused pid does not either,
 * since a process is known by its start time as well.
 */

export interface FolderLock {
  release(): Promise<void>;
}

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The start of the process in the system's own count; empty where the system does not tell. */
  readonly started: string;
  readonly since: string;
  readonly token: string;
}

/** Throws `StoreLocked`, which names the holder, while a living process has the folder. */
export async function lockFolder(disk: Disk, layout: Layout, now: () => Date): Promise<FolderLock> {
  const token = randomUUID();
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid) ?? '',
    since: now().toISOString(),
    token,
  };
  const mine = join(layout.own, `lock-${token}`);
  await writeSynced(disk, mine, `${JSON.stringify(holder)}\n`);
  try {
    while (!(await linked(disk, mine, layout.lock)) && !(await succeeds(disk, layout, mine))) {
      // The lock changed hands while it was looked at: look again.
    }
  } finally {
    await removed(disk, mine);
  }
  return {
    async release() {
      const held = await read(disk, layout.lock);
      if (held?.token === token) await disk.unlink(layout.lock);
    },
  };
}

/** Who holds the folder, by the lock as it lies there; undefined where nobody does. */
export async function holderOf(
  disk: Disk,
  layout: Layout,
): Promise<(Holder & { readonly isAlive: boolean }) | undefined> {
  const holder = await read(disk, layout.lock);
  return holder === undefined ? undefined : { ...holder, isAlive: isAlive(holder) };
}

/**
 * Takes the lock from a dead holder; false where it changed meanwhile. Each holder has one successor: who makes
 * the link that bears its token. A successor that died on the way is succeeded in its turn. Whoever makes a link
 * for a holder that has long been succeeded finds the lock itself changed, and starts again.
 */
async function succeeds(disk: Disk, layout: Layout, mine: string): Promise<boolean> {
  const root = await read(disk, layout.lock);
  if (root === undefined) return false;
  const successions: string[] = [];
  for (let holder = root; ; ) {
    if (isAlive(holder)) throw locked(layout, holder);
    const succession = join(layout.own, `succession-${holder.token.replaceAll(/[^A-Za-z0-9-]/g, '_')}`);
    successions.push(succession);
    if (await linked(disk, mine, succession)) break;
    const successor = await read(disk, succession);
    if (successor === undefined) return false;
    holder = successor;
  }
  if ((await read(disk, layout.lock))?.token !== root.token) {
    await removed(disk, successions.at(-1) ?? '');
    return false;
  }
  await disk.rename(mine, layout.lock);
  for (const succession of successions) await removed(disk, succession);
  return true;
}

/** Makes a second name for a file; false where that name is taken. */
async function linked(disk: Disk, file: string, name: string): Promise<boolean> {
  try {
    await disk.link(file, name);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function removed(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
  });
}

function isAlive({ pid, host, started }: Holder): boolean {
  // What runs on another machine cannot be seen from here.
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isCode(error, 'ESRCH')) return false;
  }
  const startedNow = startOf(pid);
  return startedNow === undefined || started === '' || startedNow === started;
}

/** When the process started, in clock ticks since the machine did. Only Linux tells. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets, which may itself hold spaces and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

async function read(disk: Disk, path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    const file = await disk.open(path, 'r');
    try {
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Holder;
  } catch {
    // Not written by us: nobody can be named, and nobody is pushed aside.
    return { pid: 0, host: 'unknown', started: '', since: 'unknown', token: '' };
  }
}

function locked(layout: Layout, holder: Holder): StoreLocked {
  const who = `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return new StoreLocked(
    `The folder ${layout.folder} is in use by ${who}. Stop it first, or open the folder read-only. If that machine is gone for good, remove ${layout.lock}.`,
    { path: layout.lock },
  );
}
