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

interface Holder {
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
    for (let attempt = 1; ; attempt += 1) {
      try {
        await disk.link(mine, layout.lock);
        break;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
      const other = await read(disk, layout.lock);
      if (other !== undefined && (isAlive(other) || attempt > 5)) throw locked(layout, other);
      if (other !== undefined) await takeAway(disk, layout, other);
      else if (attempt > 5) throw locked(layout, other);
    }
  } finally {
    await disk.unlink(mine);
  }
  return {
    async release() {
      const held = await read(disk, layout.lock);
      if (held?.token === token) await disk.unlink(layout.lock);
    },
  };
}

/** Moves a dead holder's lock aside; puts it back where another process was quicker and the lock is new. */
async function takeAway(disk: Disk, layout: Layout, dead: Holder): Promise<void> {
  const aside = join(layout.own, `lock-${randomUUID()}`);
  try {
    await disk.rename(layout.lock, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = await read(disk, aside);
  if (moved !== undefined && moved.token !== dead.token) {
    await disk.link(aside, layout.lock).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  }
  await disk.unlink(aside);
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

function locked(layout: Layout, holder: Holder | undefined): StoreLocked {
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return new StoreLocked(
    `The folder ${layout.folder} is in use by ${who}. Stop it first, or open the folder read-only. If that machine is gone for good, remove ${layout.lock}.`,
    { path: layout.lock },
  );
}
