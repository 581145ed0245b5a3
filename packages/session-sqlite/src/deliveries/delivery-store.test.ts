import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../sqlite-file.js';
import type { NewDelivery } from './delivery.js';
import { createDeliveryStore } from './delivery-store.js';

const message = (name: string, lane = 'a', more: Partial<NewDelivery> = {}): NewDelivery => ({
  queue: 'inbox',
  lane,
  name,
  channel: 'telegram',
  payload: { text: name },
  ...more,
});

async function stage(path = ':memory:') {
  const time = { now: new Date('2026-01-01T00:00:00Z') };
  const file = await openSqliteFile({ file: path });
  onTestFinished(() => file.close());
  return { store: createDeliveryStore(file, () => time.now), time, file };
}

test('what came once is not taken again, whatever became of it, also after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-deliveries-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { store, file } = await stage(join(folder, 'a.sqlite'));
  const [first] = await store.put([message('1')]);
  expect(first).toMatchObject({ isNew: true, delivery: { state: 'waiting', attempts: 0 } });
  await store.change(first?.delivery.id ?? 0, { state: 'done' });
  await file.close();
  const again = await stage(join(folder, 'a.sqlite'));
  expect(await again.store.put([message('1'), message('2'), message('2')])).toMatchObject([
    { isNew: false, delivery: { state: 'done' } },
    { isNew: true },
    { isNew: false },
  ]);
  // Another queue is another matter.
  expect(await again.store.put([message('1', 'a', { queue: 'outbox' })])).toMatchObject([{ isNew: true }]);
});

test('a lane gives its deliveries in the order they came, and only those that are open', async () => {
  const { store } = await stage();
  const put = await store.put([message('1'), message('2'), message('3', 'b')]);
  const [one, two] = put.map(({ delivery }) => delivery.id);
  expect(await store.lanes('inbox')).toEqual(['a', 'b']);
  expect((await store.first('inbox', 'a'))?.id).toBe(one);
  await store.change(one ?? 0, { state: 'running', attempts: 1 });
  expect((await store.running('inbox')).map(({ id }) => id)).toEqual([one]);
  await store.change(one ?? 0, { state: 'aside', reason: 'no' });
  expect((await store.first('inbox', 'a'))?.id).toBe(two);
  await store.change(two ?? 0, { state: 'dropped' });
  expect(await store.lanes('inbox')).toEqual(['b']);
  expect(await store.first('inbox', 'a')).toBeUndefined();
  expect(await store.count('inbox', 'aside')).toBe(1);
});

test('a change and what follows from it are one step', async () => {
  const { store } = await stage();
  const [put] = await store.put([message('1')]);
  const id = put?.delivery.id ?? 0;
  const reply = message('1#0', 'x', { queue: 'outbox' });
  await store.change(id, { state: 'done', result: { ok: true } }, [reply, reply]);
  expect(await store.list({ causeId: id, limit: 10 })).toMatchObject([{ name: '1#0', causeId: id }]);
  const broken = { ...message('2#0'), payload: { big: 1n } } as unknown as NewDelivery;
  await expect(store.change(id, { state: 'waiting' }, [broken])).rejects.toThrow();
  expect(await store.get(id)).toMatchObject({ state: 'done', result: { ok: true } });
});

test('a reason stays until it is taken away', async () => {
  const { store, time } = await stage();
  const [put] = await store.put([message('1')]);
  const id = put?.delivery.id ?? 0;
  const dueAt = new Date('2026-02-01T00:00:00Z');
  time.now = new Date('2026-01-02T00:00:00Z');
  expect(await store.change(id, { reason: 'busy', dueAt })).toMatchObject({ reason: 'busy', dueAt });
  expect(await store.change(id, { state: 'running' })).toMatchObject({ reason: 'busy', dueAt });
  expect(await store.change(id, { reason: null })).toMatchObject({ reason: undefined });
  expect(await store.get(id)).toMatchObject({ reason: undefined, dueAt, updatedAt: time.now });
});

test('only what was settled long ago is forgotten', async () => {
  const { store, time } = await stage();
  const put = await store.put(['1', '2', '3', '4'].map((name) => message(name)));
  const states = ['done', 'dropped', 'aside', 'waiting'] as const;
  for (const [index, { delivery }] of put.entries()) {
    await store.change(delivery.id, { state: states[index] ?? 'done' });
  }
  expect(await store.forget(time.now, 10)).toBe(0);
  expect(await store.forget(new Date(time.now.getTime() + 1), 1)).toBe(1);
  expect(await store.forget(new Date(time.now.getTime() + 1), 10)).toBe(1);
  expect((await store.list({ limit: 10 })).map(({ state }) => state)).toEqual(['waiting', 'aside']);
});

test('lists are newest first, filtered and paged', async () => {
  const { store } = await stage();
  await store.put([message('1'), message('2', 'a', { channel: 'slack' }), message('3')]);
  const page = await store.list({ queue: 'inbox', channel: 'telegram', limit: 1 });
  expect(page.map(({ name }) => name)).toEqual(['3']);
  const rest = await store.list({ channel: 'telegram', before: page[0]?.id ?? 0, limit: 5 });
  expect(rest.map(({ name }) => name)).toEqual(['1']);
  expect(await store.find('inbox', '2')).toMatchObject({ channel: 'slack', payload: { text: '2' } });
});
