import { describe, expect, it } from 'vitest';
import { jobStoreConformance } from './conformance/index.js';
import { createMemoryJobStore, type JobStore } from './index.js';

function inMemory(wrap: (store: JobStore) => JobStore = (store) => store) {
  return {
    async create() {
      const store = wrap(createMemoryJobStore());
      return { open: async () => store, sharing: true };
    },
  };
}

describe('jobs in memory keep the contract', () => {
  jobStoreConformance({ test: it, ...inMemory() });
});

/** One thing done wrong, and words of the promise that it breaks. */
const WRONG: readonly (readonly [string, (store: JobStore) => Partial<JobStore>])[] = [
  ['with revision 1', ({ insert }) => ({ insert: (job) => insert({ ...job, lastError: undefined }) })],
  [
    'every kind of schedule',
    ({ insert }) => ({ insert: (job) => insert({ ...job, schedule: { type: 'at' } }) }),
  ],
  [
    'of one id the first is kept',
    ({ insert, remove }) => ({
      async insert(job) {
        await remove(job.id);
        return insert(job);
      },
    }),
  ],
  ['what is not there', () => ({ remove: async () => true })],
  ['oldest first', ({ list }) => ({ list: async () => (await list()).toReversed() })],
  ['soonest first', ({ due }) => ({ due: (now) => due(now, 100) })],
  ['soonest first', ({ list }) => ({ due: async (_now, limit) => (await list()).slice(0, limit) })],
  ['soonest first', () => ({ nextDueAt: async () => undefined })],
  ['soonest first', ({ list }) => ({ running: list })],
  [
    'with the next revision',
    ({ replace }) => ({ replace: async (seen, next) => (await replace(seen, next)) && next }),
  ],
  [
    'not as it was seen',
    ({ get, replace }) => ({
      async replace(seen, next) {
        const now = await get(seen.id);
        return now && replace(now, next);
      },
    }),
  ],
  [
    'one succeeds',
    ({ replace }) => ({
      replace: async (seen, next) => (await replace(seen, next)) ?? { ...next, revision: 9 },
    }),
  ],
  ['begins anew', () => ({ remove: async () => false })],
  [
    'given or read',
    ({ insert }) => {
      const given = new Map<string, Awaited<ReturnType<JobStore['get']>>>();
      return {
        async insert(job) {
          given.set(job.id, job);
          return insert(job);
        },
        get: async (id) => given.get(id),
      };
    },
  ],
];

it.each(WRONG)('the suite notices what breaks "… %s …"', async (words, wrong) => {
  const failures: string[] = [];
  const trials: Promise<void>[] = [];
  jobStoreConformance({
    test: (_name, body) =>
      void trials.push(body().catch((error: Error) => void failures.push(error.message))),
    ...inMemory((store) => ({ ...store, ...wrong(store) })),
  });
  await Promise.all(trials);
  expect(failures.filter((failure) => failure.includes(words))).not.toEqual([]);
});
