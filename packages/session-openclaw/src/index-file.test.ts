import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreCorrupt } from '@x/session-store';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../test/folders.js';
import { updateIndex } from './index.js';

const writer = join(import.meta.dirname, '../test/index-writer.mjs');
const rounds = Number(process.env.CRASH_ROUNDS ?? 15);

function startWriter(
  path: string,
  name: string,
  count: number,
): { readonly child: ChildProcess; steps(): number } {
  const child = spawn(process.execPath, [writer, path, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, steps: () => Number(said.trim().split('\n').at(-1)?.replace('ready', '0') ?? 0) };
}

const counterIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')).counter;

test('two processes change one index 2,000 times, and no update is lost', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'sessions.json');
  const writers = ['one', 'other'].map((name) => startWriter(path, name, 1000).child);
  const codes = await Promise.all(writers.map((child) => once(child, 'close').then(([code]) => code)));
  expect(codes).toEqual([0, 0]);
  expect(counterIn(path)).toEqual({ total: 2000, steps: { one: 1000, other: 1000 } });
  expect(readdirSync(folder)).toEqual(['sessions.json']);
}, 300_000);

test('a kill at any moment leaves the index before or after, and the next one goes on', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'sessions.json');
  writeFileSync(path, JSON.stringify({ kept: { sessionId: 'x'.repeat(300) } }, null, 2));
  let before = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const { child, steps } = startWriter(path, `round-${round}`, 100_000);
    const exited = once(child, 'close');
    const [first] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    expect(first.toString()).toContain('ready');
    // Somewhere in the midst of its updates, at another place in each round.
    while (steps() < 1 + (round % 3)) await new Promise((resolve) => setImmediate(resolve));
    for (let spin = 0; spin < (round * 7919) % 50_000; spin += 1) Math.sqrt(spin);
    child.kill('SIGKILL');
    await exited;
    const { total, steps: counted } = counterIn(path);
    const mine = counted[`round-${round}`] ?? 0;
    expect(mine === steps() || mine === steps() + 1).toBe(true);
    expect(total).toBe(before + mine);
    expect(JSON.parse(readFileSync(path, 'utf8')).kept).toEqual({ sessionId: 'x'.repeat(300) });
    before = total;
  }
  await updateIndex(path, (entries) => entries.delete('counter'));
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')))).toEqual(['kept']);
  const backups = readdirSync(folder).filter((name) => name.includes('.bak.'));
  expect(backups.length).toBeGreaterThan(0);
  // A kill between a new backup and the removal of the oldest leaves one more, until the next rotation.
  expect(backups.length).toBeLessThanOrEqual(4);
  expect(readdirSync(folder).filter((name) => /lock$|claim$/.test(name))).toEqual([]);
}, 300_000);

test('a large index is kept as it was before each change, three times', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'sessions.json');
  const set = (value: number, rotateBytes: number) =>
    updateIndex(path, (entries) => entries.set('main', { updatedAt: value }) !== undefined, { rotateBytes });
  await set(0, 1);
  for (let value = 1; value <= 5; value += 1) await set(value, 1);
  await set(6, 1_000_000);
  const backups = readdirSync(folder).filter((name) => name.includes('.bak.'));
  const values = backups.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).main.updatedAt);
  expect(values.sort()).toEqual([2, 3, 4]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ main: { updatedAt: 6 } });
});

test('what nobody here knows stays, an unchanged index is not written, and a broken one is not written over', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'sessions.json');
  const text = '{ "a": null, "b": [1], "c": "text", "__proto__": {"x": 1} }';
  writeFileSync(path, text);
  await updateIndex(path, () => false);
  expect(readFileSync(path, 'utf8')).toBe(text);
  await updateIndex(path, (entries) => entries.set('d', {}) !== undefined);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(
    JSON.parse('{"a":null,"b":[1],"c":"text","__proto__":{"x":1},"d":{}}'),
  );
  for (const broken of ['', '[]', '{"a":']) {
    writeFileSync(path, broken);
    await expect(updateIndex(path, () => true)).rejects.toThrow(StoreCorrupt);
    expect(readFileSync(path, 'utf8')).toBe(broken);
  }
  expect(readdirSync(folder)).toEqual(['sessions.json']);
});
