import { cp, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { defineBackend, type Message } from '@x/session-store';
import { expect, it } from 'vitest';
import { failingDisk } from '../test/failing-disk.js';
import { picoclawView, tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

const keys = Array.from({ length: 40 }, (_, index) => `sk_v1_${index}`);
const said = (key: string, n: number): Message => ({ id: `${key} ${n}`, role: 'user', content: `${n}` });

async function counted(directory: string) {
  const syncs = { histories: 0, journal: 0 };
  let writes = 0;
  const disk = failingDisk((call, path) => {
    if (call === 'write') writes += 1;
    if (call !== 'datasync') return undefined;
    if (path.endsWith('.jsonl')) syncs.histories += 1;
    if (path.includes('journal-')) syncs.journal += 1;
    return undefined;
  });
  return { syncs, writes: () => writes, store: defineBackend(await openJsonlDriver({ directory }, disk)) };
}

it('appends that wait together share a sync; a lone one syncs its own file', async () => {
  const directory = await tempFolder();
  const { syncs, writes, store } = await counted(directory);
  for (const key of keys) await store.ensure(key);
  const before = writes();
  await store.append('sk_v1_0', [said('sk_v1_0', 0)]);
  expect(writes() - before).toBe(1);
  expect(syncs).toEqual({ histories: 1, journal: 0 });
  await Promise.all(
    keys.map(async (key) => {
      for (let n = 1; n <= 10; n += 1) await store.append(key, [said(key, n)]);
    }),
  );
  // 400 appends in ten rounds, a few more where a round was met on the way.
  expect(syncs.journal).toBeLessThan(60);
  expect(syncs.histories).toBeLessThan(60);
  await store.close();

  expect((await readdir(join(directory, '.holdfast'))).filter((name) => name.startsWith('journal'))).toEqual(
    [],
  );
  for (const key of keys) {
    const { messages } = await picoclawView(directory, key);
    expect(messages.slice(-10).map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n + 1}`),
    );
  }
});

it('what only the journal holds comes back at the next opening, once and in order', async () => {
  const directory = await tempFolder();
  const store = await createJsonlBackend({ directory });
  for (const key of keys) await store.ensure(key);
  for (let n = 1; n <= 3; n += 1) await Promise.all(keys.map((key) => store.append(key, [said(key, n)])));
  const left = await tempFolder();
  await cp(directory, left, { recursive: true });
  await store.close();

  await rm(join(left, '.holdfast/lock'));
  // As a power cut leaves them: some histories are gone, some are short, some are whole.
  for (const [index, key] of keys.entries()) {
    const path = join(left, `${key}.jsonl`);
    if (index % 3 === 0) await rm(path, { force: true });
    if (index % 3 === 1) await truncate(path, 70);
  }
  const again = await createJsonlBackend({ directory: left });
  for (const key of keys) {
    expect((await again.read(key)).map(({ seq, content }) => [seq, content])).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
    ]);
    expect(await again.append(key, [said(key, 3)])).toMatchObject([{ seq: 3, appended: false }]);
  }
  await again.close();
});

it('an append does not search the history for ids that are new', async () => {
  const directory = await tempFolder();
  const first = await createJsonlBackend({ directory });
  await first.ensure('s');
  await first.append(
    's',
    Array.from({ length: 3000 }, (_, n) => said('s', n)),
  );
  await first.close();
  let reads = 0;
  const disk = failingDisk((call, path) => {
    if (call === 'read' && path.endsWith('s.jsonl')) reads += 1;
    return undefined;
  });
  const store = defineBackend(await openJsonlDriver({ directory }, disk));
  await store.append('s', [said('s', 3000)]);
  reads = 0;
  for (let n = 3001; n < 3100; n += 1) await store.append('s', [said('s', n)]);
  expect(reads).toBe(0);
  expect(await store.append('s', [said('s', 17), said('s', 3050), said('s', 4000)])).toMatchObject([
    { seq: 18, appended: false },
    { seq: 3051, appended: false },
    { seq: 3101, appended: true },
  ]);
  await store.close();
});

it('promotions in opposite directions, all at once, wait for each other and end', async () => {
  const store = await createJsonlBackend({ directory: await tempFolder() });
  const pairs = Array.from({ length: 70 }, (_, n) => [`a:${n}`, `b:${(n * 31) % 70}`] as const);
  for (const [left, right] of pairs) await Promise.all([store.ensure(left), store.ensure(right)]);
  await Promise.all(pairs.map(([left]) => store.append(left, [said(left, 1)])));
  const outcomes = await Promise.allSettled(
    pairs.flatMap(([left, right], n) => [
      store.promote(left, [right]),
      store.promote(right, [left]),
      store.promote(right, [pairs[(n + 1) % pairs.length]?.[0] ?? left]),
      store.promote(left, [pairs[(n + 7) % pairs.length]?.[1] ?? right]),
    ]),
  );
  // One that was taken over by another is not there any more to take over others.
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'SessionNotFound' });
  let messages = 0;
  for (const { key } of (await store.list({ limit: 1000 })).sessions)
    messages += (await store.read(key)).length;
  expect(messages).toBe(pairs.length);
  await store.close();
});
