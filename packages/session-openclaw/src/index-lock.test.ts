import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreLocked } from '@x/session-store';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/folders.js';
import { lockIndex } from './index-lock.js';
import { processState } from './lock-holder.js';

const index = () => join(temporaryFolder(), 'sessions.json');
const started = processState(process.pid).starttime;

test('a lock is there while it is held, says whose it is, and is gone afterwards', async () => {
  const path = index();
  const lock = await lockIndex(path);
  expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toMatchObject({
    pid: process.pid,
    createdAt: expect.any(String),
    ...(started === undefined ? {} : { starttime: started }),
  });
  expect(await lock.isHeld()).toBe(true);
  await expect(lockIndex(path, { waitMs: 20 })).rejects.toThrow(StoreLocked);
  await expect(lockIndex(path, { waitMs: 20 })).rejects.toThrow(`process ${process.pid}`);
  await lock.release();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

const left: readonly (readonly [string, string])[] = [
  ['a dead process', JSON.stringify({ pid: 4_194_303, createdAt: new Date().toISOString() })],
  ['a process whose pid lives again', JSON.stringify({ pid: process.pid, starttime: (started ?? 0) + 1 })],
];

test.each(left)('the lock of %s is taken over at once, whoever else tries', async (_, content) => {
  if (content.includes('starttime') && started === undefined) return;
  const path = index();
  writeFileSync(`${path}.lock`, content);
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const lock = await lockIndex(path, { waitMs: 30_000 });
      holders += 1;
      most = Math.max(most, holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders -= 1;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('a takeover that was cut off is taken over in its turn', async () => {
  const path = index();
  const dead = (pid: number) => JSON.stringify({ pid, createdAt: '2026-01-01T00:00:00.000Z' });
  writeFileSync(`${path}.lock`, dead(4_194_303));
  const { createHash } = await import('node:crypto');
  const digest = createHash('sha256').update(dead(4_194_303)).digest('hex').slice(0, 16);
  writeFileSync(`${path}.lock.${digest}.claim`, dead(4_194_302));
  const lock = await lockIndex(path, { waitMs: 1000 });
  await lock.release();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('a lock that says nothing is believed while it is new, and named when the wait is over', async () => {
  const path = index();
  writeFileSync(`${path}.lock`, '');
  await expect(lockIndex(path, { waitMs: 20 })).rejects.toMatchObject({
    code: 'StoreLocked',
    path: `${path}.lock`,
  });
  const old = new Date(Date.now() - 60_000);
  utimesSync(`${path}.lock`, old, old);
  const lock = await lockIndex(path, { waitMs: 20 });
  await lock.release();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('who has lost the lock knows it, and leaves the other one alone', async () => {
  const path = index();
  const lock = await lockIndex(path);
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
  expect(await lock.isHeld()).toBe(false);
  await lock.release();
  expect(existsSync(`${path}.lock`)).toBe(true);
});
