import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFakeClock } from '../test/fake-clock.js';
import { openWorkshop } from '../test/workshop.js';
import { createMemoryJobStore, type RunResult } from './index.js';

const minute = 60_000;
const never = () => new Promise<RunResult>(() => {});

it('puts back at the start what its ended process left running, and says why', async () => {
  const shop = openWorkshop({}, { isOwnerGone: (owner) => owner === 'dead' });
  const made = await shop.make({ id: 'dead', schedule: { type: 'interval', seconds: 60 } });
  const fired = { lastFiredAt: made.nextFireAt, dueAt: made.nextFireAt };
  const running = { ...made, state: 'running' as const, ...fired };
  shop.clock.jump(1.5 * minute);
  await shop.store.replace(made, { ...running, claim: { owner: 'dead', token: 2 } });
  await shop.store.insert({ ...running, id: 'alive', claim: { owner: 'alive', token: 1 } });
  await shop.store.insert({ ...running, id: 'nobody', claim: undefined });
  await shop.scheduler.start();
  for (const id of ['dead', 'nobody']) {
    expect(await shop.board.get(id)).toMatchObject({
      state: 'scheduled',
      lastStatus: 'error',
      lastError: expect.stringContaining('ended before the run did'),
      runCount: 1,
      claim: undefined,
    });
  }
  expect(await shop.board.get('alive')).toMatchObject({ state: 'running' });
  // The due time is made up for after a rest, and the beat goes on.
  await shop.clock.advance(30_000);
  expect(shop.ran.slice(0, 2)).toEqual(['dead 2026-03-10T12:01:00.000Z', 'nobody 2026-03-10T12:01:00.000Z']);
  await shop.scheduler.stop();
});

it('puts back within a tick what a process left running that ends meanwhile', async () => {
  const ended = new Set<string>();
  const shop = openWorkshop({}, { isOwnerGone: (owner) => ended.has(owner) });
  const made = await shop.make({ id: 'job', schedule: { type: 'delay', seconds: 1 } });
  const fired = { lastFiredAt: made.nextFireAt, dueAt: made.nextFireAt };
  const claim = { owner: 'neighbour', token: 2 };
  await shop.store.replace(made, { ...made, ...fired, state: 'running', claim });
  await shop.scheduler.start();
  await shop.clock.advance(20_000);
  expect(await shop.board.get('job')).toMatchObject({ state: 'running' });
  ended.add('neighbour');
  await shop.clock.advance(10_000);
  expect(await shop.board.get('job')).toMatchObject({ state: 'scheduled', lastStatus: 'error' });
  await shop.scheduler.stop();
});

it('two schedulers on one store run each due time once', async () => {
  const clock = createFakeClock('2026-03-10T12:00:00Z');
  const store = createMemoryJobStore();
  const shops = [openWorkshop({ clock, store }), openWorkshop({ clock, store })];
  await shops[0]?.make({ id: 'interval', schedule: { type: 'interval', seconds: 7 } });
  await shops[0]?.make({ id: 'cron', schedule: { type: 'cron', expression: '*/5 * * * * *' } });
  await shops[0]?.make({ id: 'once', schedule: { type: 'delay', seconds: 30 } });
  await Promise.all(shops.map(({ scheduler }) => scheduler.start()));
  await clock.advance(5 * minute);
  await Promise.all(shops.map(({ scheduler }) => scheduler.stop()));
  const ran = shops.flatMap((shop) => shop.ran);
  expect(new Set(ran).size).toBe(ran.length);
  expect(ran).toHaveLength(42 + 60 + 1);
});

it('takes a job over from a process that renews its claim no more, and drops what that one still says', async () => {
  const clock = createFakeClock('2026-03-10T12:00:00Z');
  const store = createMemoryJobStore();
  let isStopped = false;
  let say: ((result: RunResult) => void) | undefined;
  const work = () =>
    new Promise<RunResult>((resolve) => {
      say = resolve;
    });
  const hung = openWorkshop(
    { clock, store, work },
    // As a stopped process: its clock lets nobody wake.
    {
      clock: {
        now: clock.now,
        sleep: (ms, signal) => (isStopped ? never().then(() => {}) : clock.sleep(ms, signal)),
      },
    },
  );
  const other = openWorkshop({ clock, store });
  await hung.make({ id: 'job', schedule: { type: 'delay', seconds: 1 } });
  await hung.scheduler.start();
  await clock.advance(1000);
  await other.scheduler.start();
  // While the first renews it, the claim holds, however long the run takes.
  await clock.advance(10 * minute);
  expect(other.ran).toEqual([]);
  isStopped = true;
  await clock.advance(2 * minute);
  expect(other.ran).toEqual(['job 2026-03-10T12:00:01.000Z']);
  const after = await other.board.get('job');
  expect(after).toMatchObject({ state: 'completed', lastStatus: 'ok', runCount: 2 });
  say?.({ status: 'error', reason: 'late' });
  await clock.advance(1000);
  expect(await other.board.get('job')).toEqual(after);
  expect(hung.errors).toEqual([expect.stringContaining('taken over')]);
  await other.scheduler.stop();
});

it('a clock that jumps, or a machine that slept, takes nobody’s claim away', async () => {
  const clock = createFakeClock('2026-03-10T12:00:00Z');
  const store = createMemoryJobStore();
  const work = () =>
    clock.sleep(20 * minute, new AbortController().signal).then((): RunResult => ({ status: 'ok' }));
  const shops = [openWorkshop({ clock, store, work }), openWorkshop({ clock, store, work })];
  await shops[0]?.make({ id: 'job', schedule: { type: 'delay', seconds: 1 } });
  await Promise.all(shops.map(({ scheduler }) => scheduler.start()));
  await clock.advance(2000);
  for (const jump of [8 * 60 * minute, -3 * 60 * minute, 24 * 60 * minute]) {
    clock.jump(jump);
    await clock.advance(minute);
  }
  await clock.advance(20 * minute);
  expect(shops.flatMap(({ ran }) => ran)).toHaveLength(1);
  expect(await store.get('job')).toMatchObject({ state: 'completed', lastStatus: 'ok', runCount: 1 });
  await Promise.all(shops.map(({ scheduler }) => scheduler.stop()));
});

it('no due time is run twice, whatever clocks, pauses and hands do', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 6 * minute }) }),
    fc.record({ do: fc.constant('jump' as const), ms: fc.integer({ min: -30 * minute, max: 60 * minute }) }),
    fc.record({
      do: fc.constantFrom('pause' as const, 'resume' as const, 'run' as const),
      ms: fc.constant(0),
    }),
  );
  const policy = fc.constantFrom('skip', 'once', 'all');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), policy, async (steps, missed_runs) => {
      const clock = createFakeClock('2026-03-29T00:30:00Z');
      const store = createMemoryJobStore();
      const shops = [openWorkshop({ clock, store }), openWorkshop({ clock, store })];
      const [first] = shops;
      if (first === undefined) return;
      await first.make({ id: 'interval', schedule: { type: 'interval', seconds: 90 }, missed_runs });
      await first.make({
        id: 'cron',
        schedule: { type: 'cron', expression: '*/4 * * * *', time_zone: 'Europe/Berlin' },
        missed_runs,
      });
      await Promise.all(shops.map(({ scheduler }) => scheduler.start()));
      for (const { do: what, ms } of steps) {
        if (what === 'advance') await clock.advance(ms);
        if (what === 'jump') clock.jump(ms);
        if (what === 'pause') await first.board.pause('interval');
        if (what === 'resume') await first.board.resume('interval');
        if (what === 'run') await first.scheduler.runNow('cron').catch(() => undefined);
      }
      await clock.advance(1000);
      await Promise.all(shops.map(({ scheduler }) => scheduler.stop()));
      const ran = shops.flatMap((shop) => shop.ran);
      expect(new Set(ran).size).toBe(ran.length);
      expect(shops.flatMap(({ errors }) => errors)).toEqual([]);
      expect((await store.list()).map(({ state }) => state)).not.toContain('running');
    }),
    { numRuns: 25 },
  );
});
