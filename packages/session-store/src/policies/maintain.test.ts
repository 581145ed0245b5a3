import { expect, it } from 'vitest';
import { createMemoryBackend } from '../index.js';
import { maintainSessions } from './maintain.js';

const DAY = 24 * 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** 600 sessions: 80 of them old, 3 pinned and 1 at work among those. */
async function store() {
  let now = start;
  const backend = createMemoryBackend({ now: () => new Date(now) });
  for (let index = 0; index < 600; index += 1) {
    now = index < 80 ? start + index : start + 60 * DAY + index;
    const key = `s${String(index).padStart(3, '0')}`;
    await backend.ensure(key, index < 3 ? { attributes: { pinned: true } } : {});
    await backend.append(key, [{ role: 'user', content: 'hello' }]);
  }
  now = start + 61 * DAY;
  return { backend, now: () => new Date(now), pass: (ms: number) => (now += ms) };
}
const limits = { pruneAfterMs: 30 * DAY, maxSessions: 500, purgeAfterMs: 30 * DAY };
const running = (key: string) => key === 's003';
const countOf = async (backend: ReturnType<typeof createMemoryBackend>, deleted: boolean) =>
  (await backend.list({ deleted, limit: 1000 })).sessions.length;

it('brings 600 sessions down to the cap, and reports what went and what was spared', async () => {
  const { backend, now, pass } = await store();
  const trial = await maintainSessions(backend, limits, { now: now(), running, enforce: false });
  expect(trial).toMatchObject({ before: 600, after: 500, done: [], passedOver: [] });
  expect(trial.steps.filter(({ reason }) => reason === 'age')).toHaveLength(76);
  expect(trial.steps.filter(({ reason }) => reason === 'count')).toHaveLength(24);
  expect(trial.spared.map(({ session, reason }) => [session.key, reason])).toEqual([
    ['s000', 'pinned'],
    ['s001', 'pinned'],
    ['s002', 'pinned'],
    ['s003', 'running'],
  ]);
  expect(await countOf(backend, false)).toBe(600);

  const report = await maintainSessions(backend, limits, { now: now(), running, enforce: true });
  expect(report.done).toEqual(trial.steps);
  expect([await countOf(backend, false), await countOf(backend, true)]).toEqual([500, 100]);
  const again = await maintainSessions(backend, limits, { now: now(), running, enforce: true });
  expect(again.steps).toEqual([]);

  // What went into the bin can come back, until the retention is over.
  await backend.restore('s010');
  expect((await backend.read('s010')).map(({ content }) => content)).toEqual(['hello']);
  pass(31 * DAY);
  await maintainSessions(
    backend,
    { purgeAfterMs: limits.purgeAfterMs },
    { now: now(), running, enforce: true },
  );
  expect([await countOf(backend, false), await countOf(backend, true)]).toEqual([501, 0]);
});

it('leaves alone what is spoken to, deleted or set to work meanwhile', async () => {
  const { backend, now } = await store();
  const surprises = ['s010', 's011', 's012', 's013'];
  let asked = 0;
  const report = await maintainSessions(
    {
      ...backend,
      meta: async (key) => {
        if (key === 's010') await backend.append(key, [{ role: 'user', content: 'wait' }]);
        if (key === 's011') await backend.delete(key);
        return backend.meta(key);
      },
    },
    limits,
    {
      now: now(),
      // Found at work only when it is asked a second time.
      running: (key) => key === 's012' && ++asked > 1,
      enforce: true,
    },
  );
  expect(report.passedOver.map(({ session }) => session.key)).toEqual(['s010', 's011', 's012']);
  expect(report.done.map(({ session }) => session.key)).not.toEqual(
    expect.arrayContaining(surprises.slice(0, 3)),
  );
  expect((await backend.read('s010')).map(({ content }) => content)).toEqual(['hello', 'wait']);
  expect(await backend.meta('s012')).toBeDefined();
});

it('takes no more out of the bin than what lay in it', async () => {
  let now = start;
  const backend = createMemoryBackend({ now: () => new Date(now) });
  const say = (content: string) => backend.append('s', [{ role: 'user', content }]);
  await backend.ensure('s');
  await say('once');
  await backend.delete('s');
  now += DAY;
  await backend.ensure('s');
  await say('again');
  now += 30 * DAY;
  const options = { now: new Date(now), running: () => false, enforce: true };
  const retention = { purgeAfterMs: 30 * DAY };
  // Deleted as a whole while the others were seen to.
  const late = {
    ...backend,
    async meta(key: string) {
      await backend.delete(key);
      return backend.meta(key);
    },
  };
  expect((await maintainSessions(late, retention, options)).passedOver).toHaveLength(1);
  await backend.restore('s');
  expect((await maintainSessions(backend, retention, options)).done).toHaveLength(1);
  await expect(backend.restore('s')).resolves.toMatchObject({ messageCount: 1 });
  expect((await backend.read('s', { segment: 'all' })).map(({ content }) => content)).toEqual(['again']);
});

it('measures the disk only where there is a budget', async () => {
  const { backend, now } = await store();
  const usedBytes = async () => 600_000;
  const disk = { maxBytes: 500_000, highWaterBytes: 400_000 };
  const report = await maintainSessions(
    backend,
    { disk },
    { now: now(), running, usedBytes, enforce: false },
  );
  // A message is about a thousand bytes here.
  expect([report.before, report.after]).toEqual([600, 400]);
  const unasked = () => Promise.reject(new Error('Nobody should ask.'));
  await maintainSessions(backend, limits, { now: now(), running, usedBytes: unasked, enforce: false });
});
