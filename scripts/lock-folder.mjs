import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `work` while holding the lock folder at `path`; others wait. Invariant: the folder exists only together with
 * its owner's name, because it is made elsewhere and renamed into place. A lock whose owner has died is taken over.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @param {{ pollMs?: number, onWait?: (pid: number) => void }} [options]
 * @returns {Promise<T>}
 */
export async function withLockFolder(path, work, { pollMs = 100, onWait = () => {} } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  const self = {
    pid: process.pid,
    startedAt: processStart(process.pid),
    token: randomBytes(8).toString('hex'),
  };
  let told = false;
  while (!claim(path, self)) {
    const owner = readOwner(path);
    if (owner && !isAlive(owner)) {
      evict(path, owner);
      continue;
    }
    if (owner && !told) {
      told = true;
      onWait(owner.pid);
    }
    await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    if (readOwner(path)?.token === self.token) discard(path);
  }
}

function claim(path, self) {
  const draft = `${path}-${self.token}`;
  mkdirSync(draft);
  writeFileSync(join(draft, 'owner.json'), JSON.stringify(self));
  try {
    renameSync(draft, path);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return false;
    throw error;
  }
}

function readOwner(path) {
  try {
    return JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Renamed first: an emptied folder still in its place could be taken over by a rename onto it, then deleted. */
function discard(path) {
  const aside = asideName(path);
  renameSync(path, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Two waiters may judge the same dead owner: only the folder that still carries its name is thrown away. */
function evict(path, owner) {
  const aside = asideName(path);
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readOwner(aside)?.token !== owner.token) {
    try {
      renameSync(aside, path);
      return;
    } catch {
      // A third process holds the lock by now.
    }
  }
  rmSync(aside, { recursive: true, force: true });
}

const asideName = (path) => `${path}-aside-${randomBytes(8).toString('hex')}`;

function isAlive(owner) {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return processStart(owner.pid) === owner.startedAt;
}

/** Tells a process from a later one with the same number, where the system says when it started. */
function processStart(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
