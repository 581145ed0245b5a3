import { expect, it, onTestFinished } from 'vitest';
import { createSkillEventStore, openSqliteFile } from '../index.js';

const soup = {
  kind: 'found' as const,
  skill: 'soup',
  source: 'project',
  path: '/s/soup/SKILL.md',
  digest: '1',
};
const broken = {
  kind: 'skipped' as const,
  skill: 'x',
  source: 'user',
  path: '/u/x/SKILL.md',
  reason: 'no description',
};

const folders = ['/s', '/u'];

async function freshStore() {
  const file = await openSqliteFile({ file: ':memory:' });
  onTestFinished(() => file.close());
  return createSkillEventStore(file, () => new Date('2026-03-01T12:00:00.000Z'));
}

it('records what is there once, and again when it changes, goes or comes back', async () => {
  const store = await freshStore();
  expect(await store.recordFound([soup, broken], folders)).toMatchObject([
    { kind: 'found' },
    { kind: 'skipped' },
  ]);
  expect(await store.recordFound([soup, broken], folders)).toEqual([]);
  await store.record({ ...soup, kind: 'used', agentId: 'main', sessionKey: 'sk_1' });
  expect(await store.recordFound([soup, broken], folders)).toEqual([]);
  expect(await store.recordFound([{ ...soup, digest: '2' }, broken], folders)).toMatchObject([
    { digest: '2' },
  ]);
  expect(await store.recordFound([broken], ['/u', '/s/so'])).toEqual([]);
  expect(await store.recordFound([broken], folders)).toMatchObject([
    { kind: 'gone', skill: 'soup', path: soup.path },
  ]);
  expect(await store.recordFound([broken], folders)).toEqual([]);
  expect(await store.recordFound([{ ...soup, digest: '2' }, broken], folders)).toMatchObject([
    { kind: 'found' },
  ]);
});

it('lists the newest first, by pages, by skill, kind and session', async () => {
  const store = await freshStore();
  await store.recordFound([soup, broken], folders);
  const used = await store.record({ ...soup, kind: 'used', agentId: 'main', sessionKey: 'sk_1' });
  expect(used).toEqual({
    ...soup,
    kind: 'used',
    agentId: 'main',
    sessionKey: 'sk_1',
    id: used.id,
    createdAt: '2026-03-01T12:00:00.000Z',
  });
  expect((await store.list()).map(({ kind }) => kind)).toEqual(['used', 'skipped', 'found']);
  expect(await store.list({ limit: 1, before: used.id })).toMatchObject([
    { kind: 'skipped', reason: 'no description' },
  ]);
  expect(await store.list({ skill: 'soup' })).toHaveLength(2);
  expect(await store.list({ kind: 'used', sessionKey: 'sk_1' })).toEqual([used]);
  expect(await store.list({ sessionKey: 'sk_2' })).toEqual([]);
});
