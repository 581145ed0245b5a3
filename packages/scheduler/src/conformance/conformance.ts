import { AssertionError, deepStrictEqual } from 'node:assert';
import type { Job } from '../job.js';
import type { JobStore } from '../job-store.js';
import { bareJob, sampleJob } from './sample-job.js';
import type { JobStoreSubject } from './subject.js';

/** One promise of `JobStore`, and how it is shown. `other` is the same store, opened beside the first where that can be. */
interface Case {
  readonly promise: string;
  show(store: JobStore, other: JobStore): Promise<void>;
}

/** Puts every promise of `JobStore` to a store: a test for each, on a store of its own, in any order. */
export function jobStoreConformance(subject: JobStoreSubject): void {
  for (const { promise, show } of cases) {
    subject.test(promise, async () => {
      const trial = await subject.create();
      try {
        const store = await trial.open();
        await show(store, trial.sharing ? await trial.open() : store);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new AssertionError({ message: `${promise}: ${reason}` });
      } finally {
        await trial.dispose?.();
      }
    });
  }
}

const cases: readonly Case[] = [
  {
    promise: 'a job that was inserted is read as it was, with revision 1',
    async show(store, other) {
      const jobs = [sampleJob('full'), bareJob('bare'), sampleJob('running', running(7))];
      for (const job of jobs) deepStrictEqual(await store.insert(job), true);
      for (const job of jobs) deepStrictEqual(await other.get(job.id), { ...job, revision: 1 });
    },
  },
  {
    promise: 'every kind of schedule is read as it was, with what nobody knows in it',
    async show(store) {
      const schedules = [
        { type: 'delay', seconds: 90 },
        { type: 'interval', seconds: 60, startup_delay_seconds: 0 },
        { type: 'interval', seconds: 60, startup_delay_seconds: 5, note: 'kept' },
        { type: 'at', timestamp: 1_772_086_400_000 },
        { type: 'cron', expression: '0 30 9 * * 1-5' },
        { type: 'cron', expression: '30 9 * * *', time_zone: 'America/New_York' },
        { type: 'of another program', at: [1, 2] },
      ];
      for (const [index, schedule] of schedules.entries()) {
        await store.insert(sampleJob(`job ${index}`, { schedule }));
        deepStrictEqual((await store.get(`job ${index}`))?.schedule, schedule);
      }
    },
  },
  {
    promise: 'of several jobs of one id the first is kept',
    async show(store, other) {
      const all = await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? store : other).insert(titled(n))));
      deepStrictEqual(all.filter(Boolean).length, 1);
      const kept = await store.get('same');
      deepStrictEqual(await store.insert(titled(5)), false);
      deepStrictEqual(await other.get('same'), kept);
    },
  },
  {
    promise: 'what is not there is undefined, and nothing is listed',
    async show(store) {
      deepStrictEqual(await store.get('nobody'), undefined);
      deepStrictEqual(await store.list(), []);
      deepStrictEqual(await store.due(Number.MAX_SAFE_INTEGER, 10), []);
      deepStrictEqual(await store.running(), []);
      deepStrictEqual(await store.nextDueAt(), undefined);
      deepStrictEqual(await store.remove('nobody'), false);
      deepStrictEqual(await store.replace(sampleJob('nobody'), sampleJob('nobody')), undefined);
      deepStrictEqual(await store.list(), []);
    },
  },
  {
    promise: 'jobs are listed oldest first, of equal age by id',
    async show(store) {
      for (const [id, createdAt] of [
        ['c', 2],
        ['b', 1],
        ['a', 2],
        ['ä', 1],
      ] as const) {
        await store.insert(sampleJob(id, { createdAt }));
      }
      deepStrictEqual(idsOf(await store.list()), ['b', 'ä', 'a', 'c']);
    },
  },
  {
    promise: 'due are enabled, scheduled jobs whose time has come, soonest first and no more than asked for',
    async show(store, other) {
      await store.insert(sampleJob('third', { nextFireAt: 300 }));
      await store.insert(sampleJob('first', { nextFireAt: 100 }));
      await store.insert(sampleJob('second', { nextFireAt: 200 }));
      await store.insert(sampleJob('off', { nextFireAt: 50, enabled: false }));
      await store.insert(sampleJob('paused', { nextFireAt: 50, state: 'paused', pausedAt: 1 }));
      await store.insert(sampleJob('running', { ...running(1), nextFireAt: 50 }));
      await store.insert(sampleJob('completed', { nextFireAt: 50, state: 'completed', completedAt: 1 }));
      await store.insert(sampleJob('untimed', { nextFireAt: undefined }));
      deepStrictEqual(idsOf(await store.due(200, 10)), ['first', 'second']);
      deepStrictEqual(idsOf(await other.due(1000, 2)), ['first', 'second']);
      deepStrictEqual(idsOf(await store.due(99, 10)), []);
      deepStrictEqual(await other.nextDueAt(), 100);
      deepStrictEqual(idsOf(await other.running()), ['running']);
    },
  },
  {
    promise: 'replace stores what it is given, with the next revision, and resolves to it',
    async show(store, other) {
      await store.insert(sampleJob('job'));
      const seen = await read(store, 'job');
      const next = { ...bareJob('job', running(seen.revision + 1)), pausedAt: 5, completedAt: 6 };
      const stored = await store.replace(seen, next);
      deepStrictEqual(stored, { ...next, revision: seen.revision + 1 });
      deepStrictEqual(await other.get('job'), stored);
      const back = await other.replace(await read(other, 'job'), sampleJob('job'));
      deepStrictEqual(await store.get('job'), back);
      deepStrictEqual(back?.revision, seen.revision + 2);
    },
  },
  {
    promise: 'replace changes nothing where the job is not as it was seen',
    async show(store, other) {
      await store.insert(sampleJob('job'));
      const seen = await read(store, 'job');
      await other.replace(seen, { ...seen, title: 'newer' });
      deepStrictEqual(await store.replace(seen, { ...seen, title: 'older' }), undefined);
      deepStrictEqual((await read(store, 'job')).title, 'newer');
      await other.remove('job');
      deepStrictEqual(await store.replace(await seenAgain(seen), seen), undefined);
      deepStrictEqual(await store.get('job'), undefined);
    },
  },
  {
    promise: 'of many who replace what they have seen, one succeeds',
    async show(store, other) {
      await store.insert(sampleJob('job'));
      for (let round = 0; round < 5; round += 1) {
        const seen = await read(store, 'job');
        const names = Array.from({ length: 8 }, (_, index) => `${round}.${index}`);
        const outcomes = await Promise.all(
          names.map((title, index) => (index % 2 ? store : other).replace(seen, { ...seen, title })),
        );
        const won = outcomes.filter((outcome) => outcome !== undefined);
        deepStrictEqual(won.length, 1);
        deepStrictEqual(await store.get('job'), won[0]);
      }
    },
  },
  {
    promise: 'a job that was removed is gone, and one of its id begins anew',
    async show(store, other) {
      await store.insert(sampleJob('job'));
      const seen = await read(store, 'job');
      deepStrictEqual(await other.remove('job'), true);
      deepStrictEqual(await store.remove('job'), false);
      deepStrictEqual(await store.get('job'), undefined);
      deepStrictEqual(await store.insert(bareJob('job')), true);
      deepStrictEqual(await other.get('job'), { ...bareJob('job'), revision: 1 });
      deepStrictEqual(seen.revision, 1);
    },
  },
  {
    promise: 'nobody changes what is stored by changing what was given or read',
    async show(store) {
      const payload = { event: 'before', list: [1] };
      await store.insert(bareJob('job', { payload }));
      payload.event = 'after';
      payload.list.push(2);
      const expected = { event: 'before', list: [1] };
      deepStrictEqual((await read(store, 'job')).payload, expected);
      Object.assign((await read(store, 'job')).payload, { event: 'after' });
      deepStrictEqual((await read(store, 'job')).payload, expected);
    },
  },
];

function running(token: number): Partial<Job> {
  return { state: 'running', claim: { owner: 'host/17', token } };
}

function titled(number: number): Job {
  return sampleJob('same', { title: `number ${number}` });
}

function idsOf(jobs: readonly Job[]): string[] {
  return jobs.map(({ id }) => id);
}

async function read(store: JobStore, id: string): Promise<Job> {
  const job = await store.get(id);
  if (job === undefined) throw new AssertionError({ message: `the job ${id} is missing` });
  return job;
}

/** As one who has seen the last revision would try. */
async function seenAgain(seen: Job): Promise<Job> {
  return { ...seen, revision: seen.revision + 1 };
}
