import { expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../sqlite-file.js';
import { createPairingStore } from './pairing-store.js';

test('a person is known once on a channel, by id and by code', async () => {
  const file = await openSqliteFile({ file: ':memory:' });
  onTestFinished(() => file.close());
  const times = [1, 2, 3].map((day) => new Date(`2026-01-0${day}T00:00:00Z`));
  const store = createPairingStore(file, () => times.shift() ?? new Date(0));
  const asked = { channel: 'telegram', senderId: '7', name: 'Ann', code: 'ABCD', state: 'asked' } as const;
  await store.put(asked);
  await store.put({ ...asked, channel: 'slack', code: 'EFGH' });
  expect(await store.countAsked('telegram')).toBe(1);
  expect(await store.findByCode('ABCD')).toMatchObject({ senderId: '7', channel: 'telegram' });
  const approved = await store.put({ ...asked, code: undefined, state: 'approved' });
  expect(approved.createdAt.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(await store.findByCode('ABCD')).toBeUndefined();
  expect((await store.list()).map(({ channel, state }) => `${channel} ${state}`)).toEqual([
    'telegram approved',
    'slack asked',
  ]);
  expect(await store.remove('telegram', '7')).toBe(true);
  expect(await store.remove('telegram', '7')).toBe(false);
  expect(await store.find('telegram', '7')).toBeUndefined();
});
