import { createHash, randomUUID } from 'node:crypto';
import { link, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreLocked } from '@x/session-store';
import { textIfThere } from './file-if-there.js';
import {
  INDEX_STALE_MS,
  judgeLock,
  type LockHolder,
  processState,
  readHolder,
  thisHolder,
} from './lock-holder.js';

/*
 * `sessions.json.lock`, as OpenClaw keeps it: a file that only one can create. Ours appears whole (a second name of a
 * finished file). One whose holder is gone is taken over by whoever first makes the link that bears the lock's digest,
 * so that nobody removes a lock that was made meanwhile.
 */

export interface IndexLock {
  /** False where another has taken the lock, holding this one for dead: then nothing more may be written. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** How long to wait for a lock that is held. Default 40 s: longer than it takes OpenClaw to give one up. */
  readonly waitMs?: number;
  /** How long a lock is believed that nothing proves to be held. Default 30 s, as OpenClaw does with the index. */
  readonly staleMs?: number;
}

/** Rejects with `StoreLocked`, naming the holder, when the wait is over. */
export async function lockIndex(
  path: string,
  { waitMs = INDEX_STALE_MS + 10_000, staleMs = INDEX_STALE_MS }: LockOptions = {},
): Promise<IndexLock> {
  const lock = `${path}.lock`;
  const token = randomUUID();
  const mine = `${lock}.${process.pid}.${token}.tmp`;
  const holder = thisHolder(new Date(), token);
  await writeFile(mine, JSON.stringify(holder, null, 2), { flag: 'wx', mode: 0o600 });
  const until = Date.now() + waitMs;
  try {
    for (let tries = 1; ; tries += 1) {
      if ((await linked(mine, lock)) || (await tookOver(lock, mine, staleMs))) return heldLock(lock, token);
      if (Date.now() >= until) throw locked(path, await textIfThere(lock), waitMs);
      await pause(Math.random() * Math.min(50, 2 * tries));
    }
  } finally {
    await removed(mine);
  }
}

function heldLock(lock: string, token: string): IndexLock {
  const isHeld = async () => readHolder((await textIfThere(lock)) ?? '').token === token;
  return {
    isHeld,
    async release() {
      if (await isHeld()) await removed(lock);
    },
  };
}

/** Puts our lock in the place of one whose holder is gone; false where it is held, or changed hands meanwhile. */
async function tookOver(lock: string, mine: string, staleMs: number): Promise<boolean> {
  const claims: string[] = [];
  const root = await textIfThere(lock);
  for (let content = root, place = lock; ; ) {
    if (content === undefined || !(await isLeft(place, content, staleMs))) return false;
    const claim = `${lock}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}.claim`;
    claims.push(claim);
    if (await linked(mine, claim)) break;
    // Somebody takes it over already; where that one has died on the way, it is succeeded in its turn.
    place = claim;
    content = await textIfThere(claim);
  }
  if ((await textIfThere(lock)) !== root) {
    await removed(claims.at(-1) ?? '');
    return false;
  }
  await rename(mine, lock);
  for (const claim of claims) await removed(claim);
  await sweep(lock);
  return true;
}

/** OpenClaw's own measure for files that a crash has left half done. */
const LEFTOVER_MS = 5 * 60 * 1000;

/** Removes what was left by those that died on the way to this lock, which is ours now: no claim on another counts. */
async function sweep(lock: string): Promise<void> {
  const folder = dirname(lock);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(lock)}.`)) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    const isOld = stats !== undefined && Date.now() - stats.mtimeMs > LEFTOVER_MS;
    if (name.endsWith('.claim') || (name.endsWith('.tmp') && isOld)) await removed(path);
  }
}

async function isLeft(path: string, content: string, staleMs: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const sight = {
    writtenAt: stats.mtimeMs,
    now: Date.now(),
    staleMs,
    host: hostname(),
    process: processState,
  };
  return judgeLock({ holder: readHolder(content), ...sight }) !== 'held';
}

async function linked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removed(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

function locked(path: string, content: string | undefined, waitMs: number): StoreLocked {
  const { pid, host, createdAt }: LockHolder = readHolder(content ?? '');
  const who =
    pid === undefined
      ? 'by somebody that it does not name'
      : `by process ${pid}${host === undefined ? '' : ` on ${host}`}`;
  const since = createdAt === undefined ? '' : ` since ${createdAt}`;
  return new StoreLocked(
    `${path} has been locked ${who}${since}, and was not free within ${Math.round(waitMs / 1000)} s. Stop that program, or remove ${path}.lock where it is gone.`,
    { path: `${path}.lock` },
  );
}
