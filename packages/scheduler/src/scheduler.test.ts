import { expect, it } from 'vitest';
import { openWorkshop } from '../test/workshop.js';
import type { Job, RunResult } from './index.js';

const minute = 60_000;
const every = (seconds: number) => ({ schedule: { type: 'interval', seconds } });

async function job({ board }: Pick<ReturnType<typeof openWorkshop>, 'board'>, id: string): Promise<Job> {
  return board.get(id);
}

it('runs one-shots once and completes them', async () => {
  const shop = openWorkshop();
  await shop.make({ id: 'delay', schedule: { type: 'delay', seconds: 90 } });
  await shop.make({ id: 'at', schedule: { type: 'at', timestamp: '2026-03-10T12:02:00Z' } });
  await shop.scheduler.start();
  await shop.clock.advance(89_999);
  expect(shop.ran).toEqual([]);
  await shop.clock.advance(60 * minute);
  expect(shop.ran).toEqual(['delay 2026-03-10T12:01:30.000Z', 'at 2026-03-10T12:02:00.000Z']);
  expect(await job(shop, 'delay')).toMatchObject({
    state: 'completed',
    lastStatus: 'ok',
    runCount: 1,
    nextFireAt: undefined,
    lastFiredAt: Date.parse('2026-03-10T12:01:30Z'),
    completedAt: Date.parse('2026-03-10T12:01:30Z'),
  });
  await shop.scheduler.stop();
});

it('completes a job after max_runs, which counts ok and error, not skipped', async () => {
  const results: RunResult[] = [
    { status: 'ok' },
    { status: 'skipped', reason: 'nothing to do' },
    { status: 'error', reason: 'boom' },
    { status: 'ok' },
  ];
  const shop = openWorkshop({ work: async () => results.shift() ?? { status: 'ok' } });
  await shop.make({ id: 'three', ...every(60), max_runs: 3 });
  await shop.scheduler.start();
  await shop.clock.advance(2 * minute);
  expect(await job(shop, 'three')).toMatchObject({
    runCount: 1,
    lastStatus: 'skipped',
    lastError: 'nothing to do',
  });
  await shop.clock.advance(minute);
  expect(await job(shop, 'three')).toMatchObject({ runCount: 2, lastStatus: 'error', lastError: 'boom' });
  await shop.clock.advance(60 * minute);
  expect(await job(shop, 'three')).toMatchObject({ runCount: 3, lastStatus: 'ok', state: 'completed' });
  expect(shop.ran).toHaveLength(4);
  await shop.scheduler.stop();
});

it('lets a job that fails rest longer each time, shows its error, and forgets both after a success', async () => {
  let isBroken = true;
  const shop = openWorkshop({
    async work() {
      if (isBroken) throw new Error('The model is not there.');
      return { status: 'ok' };
    },
  });
  await shop.make({ id: 'job', ...every(10) });
  await shop.scheduler.start();
  const begun = shop.clock.now();
  await shop.clock.advance(10 * minute);
  const offsets = shop.ran.map((run) => (Date.parse(run.split(' ')[1] ?? '') - begun) / 1000);
  // 30 s, 60 s, 120 s, 240 s after each failure, at the next beat.
  expect(offsets).toEqual([10, 50, 120, 250, 500]);
  expect(await job(shop, 'job')).toMatchObject({
    lastStatus: 'error',
    lastError: 'The model is not there.',
    failures: 5,
  });
  isBroken = false;
  await shop.clock.advance(10 * minute);
  expect(await job(shop, 'job')).toMatchObject({ lastStatus: 'ok', lastError: undefined, failures: 0 });
  const before = shop.ran.length;
  await shop.clock.advance(minute);
  expect(shop.ran.length - before).toBe(6);
  await shop.scheduler.stop();
});

it('tries a one-shot that fails three times, each time as the same run', async () => {
  const runs: string[] = [];
  const shop = openWorkshop({
    async work({ runId }) {
      runs.push(runId);
      throw new Error('No.');
    },
  });
  await shop.make({ id: 'once', schedule: { type: 'delay', seconds: 1 } });
  await shop.make({ id: 'single', schedule: { type: 'delay', seconds: 2 }, max_runs: 1 });
  await shop.scheduler.start();
  await shop.clock.advance(60 * minute);
  expect(new Set(runs)).toHaveLength(2);
  expect(await job(shop, 'once')).toMatchObject({ state: 'completed', runCount: 3, lastStatus: 'error' });
  expect(await job(shop, 'single')).toMatchObject({ state: 'completed', runCount: 1, lastStatus: 'error' });
  await shop.scheduler.stop();
});

it('pauses, resumes and deletes; what passed meanwhile is not made up for', async () => {
  const shop = openWorkshop();
  await shop.make({ id: 'job', ...every(60) });
  await shop.scheduler.start();
  await shop.clock.advance(minute);
  expect(await shop.board.pause('job')).toMatchObject({ state: 'paused', nextFireAt: undefined });
  await shop.clock.advance(10.5 * minute);
  expect(shop.ran).toHaveLength(1);
  const resumed = await shop.board.resume('job');
  shop.scheduler.wake();
  expect(resumed).toMatchObject({ state: 'scheduled', pausedAt: undefined });
  expect(resumed.nextFireAt).toBe(shop.clock.now() + 0.5 * minute);
  await shop.clock.advance(minute);
  expect(shop.ran).toHaveLength(2);
  await shop.board.delete('job');
  await shop.clock.advance(5 * minute);
  expect(shop.ran).toHaveLength(2);
  await expect(shop.board.pause('job')).rejects.toMatchObject({ code: 'unknown_job', jobId: 'job' });
  await shop.scheduler.stop();
});

it('a job that is paused or deleted while it runs ends its run first', async () => {
  const shop = openWorkshop({
    work: async () => shop.clock.sleep(minute, new AbortController().signal).then(() => ({ status: 'ok' })),
  });
  await shop.make({ id: 'paused', ...every(10) });
  await shop.make({ id: 'deleted', ...every(10) });
  await shop.scheduler.start();
  await shop.clock.advance(20_000);
  expect(await shop.board.pause('paused')).toMatchObject({ state: 'running' });
  await shop.board.delete('deleted');
  await shop.clock.advance(10 * minute);
  expect(shop.ran).toHaveLength(2);
  expect(await job(shop, 'paused')).toMatchObject({ state: 'paused', lastStatus: 'ok', runCount: 1 });
  expect(await shop.board.list()).toHaveLength(1);
  expect(shop.errors).toEqual([]);
  await shop.scheduler.stop();
});

it('runs a job by hand, whatever its state, beside its schedule', async () => {
  const shop = openWorkshop();
  const { nextFireAt } = await shop.make({ id: 'job', ...every(600) });
  await shop.make({ id: 'gone', schedule: { type: 'delay', seconds: 1 } });
  await shop.scheduler.start();
  await shop.clock.advance(minute);
  const { job: claimed, done } = await shop.scheduler.runNow('job');
  expect(claimed).toMatchObject({ state: 'running' });
  await done;
  expect(await job(shop, 'job')).toMatchObject({ state: 'scheduled', runCount: 1, nextFireAt });
  await shop.board.pause('job');
  await (await shop.scheduler.runNow('job')).done;
  expect(await job(shop, 'job')).toMatchObject({ state: 'paused', runCount: 2, nextFireAt: undefined });
  await (await shop.scheduler.runNow('gone')).done;
  expect(await job(shop, 'gone')).toMatchObject({ state: 'completed', runCount: 2 });
  await expect(shop.scheduler.runNow('nobody')).rejects.toMatchObject({ code: 'unknown_job' });
  // Each was a run of its own.
  expect(new Set(shop.ran)).toHaveLength(4);
  await shop.scheduler.stop();
});

it('tries again by hand what waits to be tried again, as the same run', async () => {
  const results: RunResult[] = [{ status: 'error', reason: 'No.' }];
  const shop = openWorkshop({ work: async () => results.pop() ?? { status: 'ok' } });
  await shop.make({ id: 'once', schedule: { type: 'delay', seconds: 1 } });
  await shop.scheduler.start();
  await shop.clock.advance(2000);
  await (await shop.scheduler.runNow('once')).done;
  expect(await job(shop, 'once')).toMatchObject({ state: 'completed', lastStatus: 'ok', runCount: 2 });
  await shop.clock.advance(60 * minute);
  expect(shop.ran).toEqual(['once 2026-03-10T12:00:01.000Z', 'once 2026-03-10T12:00:01.000Z']);
  await shop.scheduler.stop();
});

it('does not run a job that runs', async () => {
  const shop = openWorkshop({
    work: () => shop.clock.sleep(90_000, new AbortController().signal).then(() => ({ status: 'ok' })),
  });
  await shop.make({ id: 'slow', ...every(60) });
  await shop.scheduler.start();
  await shop.clock.advance(minute);
  await expect(shop.scheduler.runNow('slow')).rejects.toMatchObject({ code: 'job_running' });
  await shop.clock.advance(4 * minute);
  // It keeps its beat, and leaves out the beats that it was busy at.
  expect(shop.ran).toEqual([
    'slow 2026-03-10T12:01:00.000Z',
    'slow 2026-03-10T12:03:00.000Z',
    'slow 2026-03-10T12:05:00.000Z',
  ]);
  const stopping = shop.scheduler.stop({ graceMs: 10 * minute });
  await shop.clock.advance(2 * minute);
  await stopping;
});

it.each([
  ['skip', [], 'skipped'],
  ['once', ['12:05'], 'ok'],
  ['all', ['12:05', '12:10', '12:15', '12:20', '12:25'], 'ok'],
] as const)('missed runs: %s', async (policy, expected, status) => {
  const shop = openWorkshop();
  await shop.make({ id: 'job', ...every(300), missed_runs: policy });
  await shop.make({ id: 'once', schedule: { type: 'delay', seconds: 60 }, missed_runs: policy });
  shop.clock.jump(27 * minute);
  await shop.scheduler.start();
  await shop.clock.advance(1000);
  const times = shop.ran.filter((run) => run.startsWith('job')).map((run) => run.slice(15, 20));
  expect(times).toEqual(expected);
  expect(await job(shop, 'job')).toMatchObject({
    lastStatus: status,
    nextFireAt: Date.parse('2026-03-10T12:30:00Z'),
  });
  expect(await job(shop, 'once')).toMatchObject({ state: 'completed', lastStatus: status });
  expect(shop.ran.filter((run) => run.startsWith('once'))).toHaveLength(policy === 'skip' ? 0 : 1);
  await shop.clock.advance(3 * minute);
  expect(shop.ran.at(-1)).toBe('job 2026-03-10T12:30:00.000Z');
  await shop.scheduler.stop();
});

it('makes up for the newest 20 missed runs at most', async () => {
  const shop = openWorkshop();
  await shop.make({ id: 'beat', ...every(1), missed_runs: 'all' });
  await shop.make({ id: 'cron', schedule: { type: 'cron', expression: '* * * * *' }, missed_runs: 'all' });
  shop.clock.jump(24 * 60 * minute);
  await shop.scheduler.start();
  await shop.clock.advance(500);
  expect(shop.ran.filter((run) => run.startsWith('beat'))).toHaveLength(20);
  expect(shop.ran.filter((run) => run.startsWith('cron'))).toHaveLength(20);
  expect(new Set(shop.ran)).toHaveLength(40);
  await shop.scheduler.stop();
});

it('a clock that is put back runs nothing a second time', async () => {
  const shop = openWorkshop();
  await shop.make({ id: 'job', ...every(60) });
  await shop.make({ id: 'cron', schedule: { type: 'cron', expression: '* * * * *' } });
  await shop.scheduler.start();
  await shop.clock.advance(10 * minute);
  shop.clock.jump(-5 * minute);
  await shop.clock.advance(10 * minute);
  expect(new Set(shop.ran).size).toBe(shop.ran.length);
  expect(shop.ran.filter((run) => run.startsWith('job'))).toHaveLength(15);
  expect(shop.ran.filter((run) => run.startsWith('cron'))).toHaveLength(15);
  await shop.scheduler.stop();
});

it('a clock that is put forward, or a machine that slept, is noticed within a tick', async () => {
  const shop = openWorkshop();
  await shop.make({ id: 'daily', schedule: { type: 'cron', expression: '0 9 * * *' } });
  await shop.scheduler.start();
  await shop.clock.advance(minute);
  shop.clock.jump(22 * 60 * minute);
  await shop.clock.advance(10_000);
  expect(shop.ran).toEqual(['daily 2026-03-11T09:00:00.000Z']);
  await shop.scheduler.stop();
});

it('waits for what is a year away, and beyond what a timer can count', async () => {
  const shop = openWorkshop({}, { timing: { tickMs: Number.MAX_SAFE_INTEGER, leaseMs: 1 } });
  await shop.make({ id: 'far', schedule: { type: 'at', timestamp: '2027-03-10T12:00:00Z' } });
  await shop.scheduler.start();
  await shop.clock.advance(365 * 24 * 60 * minute - 1);
  expect(shop.ran).toEqual([]);
  await shop.clock.advance(1);
  expect(shop.ran).toHaveLength(1);
  await shop.scheduler.stop();
});

it('a job whose words cannot be read says so, and holds nobody up', async () => {
  const shop = openWorkshop();
  const fine = await shop.make({ id: 'fine', ...every(60) });
  await shop.store.insert({ ...fine, id: 'no schedule', schedule: { type: 'never' } });
  await shop.store.insert({ ...fine, id: 'no task', kind: 'dance' });
  await shop.scheduler.start();
  await shop.clock.advance(minute);
  expect(shop.ran).toHaveLength(1);
  expect(await job(shop, 'no schedule')).toMatchObject({
    lastStatus: 'error',
    lastError: expect.stringContaining('schedule'),
  });
  expect(await job(shop, 'no task')).toMatchObject({
    lastStatus: 'error',
    lastError: 'kind: there is no kind "dance"',
  });
  await shop.scheduler.stop();
});

it('goes on after the store has failed', async () => {
  const shop = openWorkshop();
  const { due } = shop.store;
  await shop.make({ id: 'job', ...every(60) });
  await shop.scheduler.start();
  Object.assign(shop.store, { due: () => Promise.reject(new Error('locked')) });
  await shop.clock.advance(5 * minute);
  expect(shop.errors.every((line) => line.includes('locked'))).toBe(true);
  expect(shop.errors.length).toBeGreaterThan(0);
  Object.assign(shop.store, { due });
  await shop.clock.advance(minute);
  // The missed one, made up for, and the next.
  expect(shop.ran).toEqual(['job 2026-03-10T12:01:00.000Z', 'job 2026-03-10T12:06:00.000Z']);
  await shop.scheduler.stop();
});

it('stores the outcome of a run once the store is there again, and keeps its claim till then', async () => {
  const shop = openWorkshop();
  const { replace } = shop.store;
  await shop.make({ id: 'job', schedule: { type: 'delay', seconds: 1 } });
  await shop.scheduler.start();
  Object.assign(shop.store, {
    replace(seen: Job, next: Job) {
      const isOutcome = seen.state === 'running' && next.state !== 'running';
      return isOutcome ? Promise.reject(new Error('no room')) : replace(seen, next);
    },
  });
  await shop.clock.advance(5 * minute);
  expect(shop.errors.length).toBeGreaterThan(20);
  Object.assign(shop.store, { replace });
  await shop.clock.advance(10_000);
  expect(await job(shop, 'job')).toMatchObject({ state: 'completed', lastStatus: 'ok', runCount: 1 });
  expect(shop.ran).toHaveLength(1);
  await shop.scheduler.stop();
});

it('runs no more at the same time than it may, and the others after them', async () => {
  let running = 0;
  let most = 0;
  const shop = openWorkshop(
    {
      async work() {
        running += 1;
        most = Math.max(most, running);
        await shop.clock.sleep(1000, new AbortController().signal);
        running -= 1;
        return { status: 'ok' };
      },
    },
    { parallelRuns: 3 },
  );
  for (let n = 0; n < 10; n += 1) await shop.make({ schedule: { type: 'delay', seconds: 1 } });
  await shop.scheduler.start();
  await shop.clock.advance(10_000);
  expect([most, shop.ran.length]).toEqual([3, 10]);
  await shop.scheduler.stop();
});

it('ends runs that outlast the patience of stop, and has them tried again', async () => {
  const work = ({ signal }: { signal: AbortSignal }) =>
    new Promise<RunResult>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  const shop = openWorkshop({ work });
  await shop.make({ id: 'job', schedule: { type: 'delay', seconds: 1 } });
  await shop.scheduler.start();
  await shop.clock.advance(1000);
  const stopping = shop.scheduler.stop({ graceMs: 5000 });
  await shop.clock.advance(5000);
  await stopping;
  expect(await job(shop, 'job')).toMatchObject({
    state: 'scheduled',
    lastStatus: 'error',
    lastError: expect.stringContaining('stopped in the middle'),
    dueAt: Date.parse('2026-03-10T12:00:01Z'),
  });
});
