import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../test/child.js';
import { tempFolder } from '../test/folders.js';
import { checkSqlite, createSqliteBackend } from './index.js';

/** What each of two processes appends: 10,000 by `pnpm test:processes`. */
const each = Number(process.env.APPENDS_EACH ?? 2000);

type Given = { readonly [key: string]: readonly number[] };

async function together(children: readonly ReturnType<typeof startChild>[]): Promise<readonly Given[]> {
  await Promise.all(children.map(({ ready }) => ready));
  for (const child of children) child.process.stdin.write('go\n');
  const told = await Promise.all(children.map((child) => child.told));
  return told.map((text) => JSON.parse(text.trim().split('\n').at(-1) ?? ''));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

it('lets eight connections and four processes open one fresh file at once and loses nothing', async () => {
  const file = join(await tempFolder(), 'fresh.db');
  const children = upTo(4).map((name) =>
    startChild('append-worker.mjs', file, `process ${name}`, 100, 10, 'shared', `own ${name}`),
  );
  const inside = upTo(8).map(async (name) => {
    const store = await createSqliteBackend({ file, busyTimeoutMs: 60_000 });
    await store.ensure('shared');
    for (const number of upTo(100)) {
      await store.append('shared', [{ role: 'user', content: `connection ${name}, ${number}` }]);
    }
    await store.close();
  });
  const [given] = await Promise.all([together(children), ...inside]);

  const store = await createSqliteBackend({ file });
  const messages = await store.read('shared');
  expect(messages.map(({ seq }) => seq)).toEqual(upTo(1200));
  expect(new Set(messages.map(({ content }) => content)).size).toBe(1200);
  expect(await store.meta('shared')).toMatchObject({ messageCount: 1200, lastSeq: 1200, userTurns: 1200 });
  for (const [index, seqs] of given.entries()) expect(seqs[`own ${index + 1}`]).toEqual(upTo(100));
  await store.close();
  expect(await checkSqlite(file)).toEqual([]);
}, 180_000);

it(`numbers the messages of two processes in one session without a gap (${each} of each)`, async () => {
  const file = join(await tempFolder(), 'shared.db');
  const given = await together([
    startChild('append-worker.mjs', file, 'one', each, 20, 'a'),
    startChild('append-worker.mjs', file, 'two', each, 1, 'a'),
  ]);
  const all = given.flatMap((seqs) => seqs.a ?? []);
  expect(all.sort((left, right) => left - right)).toEqual(upTo(2 * each));
  const store = await createSqliteBackend({ file });
  const messages = await store.read('a');
  for (const name of ['one', 'two']) {
    const mine = messages.filter(({ content }) => String(content).startsWith(name));
    expect(mine.map(({ content }) => content)).toEqual(upTo(each).map((number) => `${name} ${number - 1}`));
  }
  await store.close();
}, 600_000);

it('waits while another program holds the file, and tells when that takes too long', async () => {
  const file = join(await tempFolder(), 'held.db');
  const patient = await createSqliteBackend({ file });
  const impatient = await createSqliteBackend({ file, busyTimeoutMs: 100 });
  await patient.ensure('a');
  const holder = startChild('lock-holder.mjs', file, 1500);
  await holder.ready;
  const append = patient.append('a', [{ role: 'user', content: 'waited' }]);
  await expect(impatient.append('a', [{ role: 'user', content: 'did not' }])).rejects.toMatchObject({
    code: 'StoreLocked',
    key: 'a',
    path: file,
    message: expect.stringContaining('another program'),
  });
  expect(await impatient.read('a')).toEqual([]);
  expect(await append).toMatchObject([{ seq: 1, appended: true }]);
  expect((await impatient.read('a')).map(({ content }) => content)).toEqual(['waited']);
  await holder.told;
  await patient.close();
  await impatient.close();
});

it('creates a session once, however many ask for it and write to it at the same time', async () => {
  const file = join(await tempFolder(), 'first.db');
  const stores = await Promise.all(upTo(5).map(() => createSqliteBackend({ file })));
  const created = await Promise.all(
    upTo(50).map(async (number) => {
      const store = stores[number % stores.length];
      if (store === undefined) throw new Error('No store.');
      const { created: isNew } = await store.ensure('new');
      await store.append('new', [{ role: 'user', content: `message ${number}` }]);
      return isNew;
    }),
  );
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(await stores[0]?.meta('new')).toMatchObject({ messageCount: 50, lastSeq: 50 });
  for (const store of stores) await store.close();
});
