import { expect, it } from 'vitest';
import { openWorkshop } from '../test/workshop.js';
import { type JobRequest, parseJobRequest, synchroniseJobs } from './index.js';

const minute = 60_000;

function configured(id: string, rest: object = {}): JobRequest & { readonly id: string } {
  const request = {
    id,
    kind: 'internal_event',
    payload: { event: 'session_cleanup' },
    schedule: { type: 'interval', seconds: 60 },
    ...rest,
  };
  return { ...parseJobRequest(request), id };
}

it('makes, changes and removes what the configuration says, and touches nothing else', async () => {
  const shop = openWorkshop();
  const sync = (...jobs: (JobRequest & { readonly id: string })[]) =>
    synchroniseJobs(shop.store, jobs, shop.clock.now());
  const nothing = { added: [], changed: [], removed: [], refused: [] };
  const tool = await shop.make({ id: 'tool', schedule: { type: 'delay', seconds: 600 } });

  expect(await sync(configured('a'), configured('b'))).toEqual({ ...nothing, added: ['a', 'b'] });
  const before = await shop.store.list();
  expect(await sync(configured('a'), configured('b'))).toEqual(nothing);
  expect(await shop.store.list()).toEqual(before);

  const changed = configured('a', { payload: { event: 'other' }, title: 'A', max_runs: 5 });
  expect(await sync(changed)).toEqual({ ...nothing, changed: ['a'], removed: ['b'] });
  expect(await shop.board.get('a')).toMatchObject({
    payload: { event: 'other' },
    title: 'A',
    maxRuns: 5,
    source: 'configuration',
    nextFireAt: before.find(({ id }) => id === 'a')?.nextFireAt,
  });
  expect(await shop.board.get('tool')).toEqual(tool);
  expect(await sync(configured('tool'))).toEqual({
    ...nothing,
    removed: ['a'],
    refused: [{ id: 'tool', reason: expect.stringContaining('made otherwise') }],
  });
  expect(await shop.board.list()).toEqual([tool]);
});

it('lets a paused job stay paused, and a job that was run keep its count', async () => {
  const shop = openWorkshop();
  await synchroniseJobs(shop.store, [configured('a'), configured('b')], shop.clock.now());
  await shop.scheduler.start();
  await shop.clock.advance(2.5 * minute);
  await shop.board.pause('a');
  const slower = { schedule: { type: 'interval', seconds: 600 } };
  await synchroniseJobs(shop.store, [configured('a', slower), configured('b', slower)], shop.clock.now());
  expect(await shop.board.get('a')).toMatchObject({ state: 'paused', runCount: 2, nextFireAt: undefined });
  expect(await shop.board.get('b')).toMatchObject({
    state: 'scheduled',
    runCount: 2,
    nextFireAt: shop.clock.now() + 10 * minute,
  });
  await shop.clock.advance(5 * minute);
  expect(shop.ran).toHaveLength(4);
  await shop.scheduler.stop();
});

it('does not run a one-shot again with every start, but does with a new time', async () => {
  const shop = openWorkshop();
  const once = (seconds: number) => configured('once', { schedule: { type: 'delay', seconds } });
  const at = (timestamp: string) => configured('at', { schedule: { type: 'at', timestamp } });
  const sync = (...jobs: (JobRequest & { readonly id: string })[]) =>
    synchroniseJobs(shop.store, jobs, shop.clock.now());
  await sync(once(60), at('2026-03-10T12:05:00Z'));
  await shop.scheduler.start();
  await shop.clock.advance(10 * minute);
  expect(shop.ran).toHaveLength(2);
  // Its time has passed by now, and it has been kept.
  expect(await sync(once(60), at('2026-03-10T12:05:00Z'))).toEqual({
    added: [],
    changed: [],
    removed: [],
    refused: [],
  });
  await shop.clock.advance(10 * minute);
  expect(shop.ran).toHaveLength(2);
  expect(await sync(once(90), at('2026-03-10T12:21:00Z'))).toMatchObject({ changed: ['once', 'at'] });
  shop.scheduler.wake();
  await shop.clock.advance(10 * minute);
  expect(shop.ran.slice(2)).toEqual(['at 2026-03-10T12:21:00.000Z', 'once 2026-03-10T12:21:30.000Z']);
  expect(
    await sync(configured('late', { schedule: { type: 'at', timestamp: '2026-03-10T12:00:00Z' } })),
  ).toMatchObject({
    refused: [{ id: 'late', reason: expect.stringContaining('lies in the past') }],
    removed: ['at', 'once'],
  });
  await shop.scheduler.stop();
});

it('two processes that start at once make each job once', async () => {
  const shop = openWorkshop();
  const jobs = ['a', 'b', 'c'].map((id) => configured(id));
  const reports = await Promise.all([1, 2, 3].map(() => synchroniseJobs(shop.store, jobs, shop.clock.now())));
  expect(reports.flatMap(({ added }) => added).toSorted()).toEqual(['a', 'b', 'c']);
  expect((await shop.board.list()).map(({ revision }) => revision)).toEqual([1, 1, 1]);
});
