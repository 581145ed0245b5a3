import { createDeliveryStore, type DeliveryStore, openSqliteFile } from '@x/session-sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createLaneWorker, type LaneWorkerOptions, type Verdict } from './lane-worker.js';
import { retryDelayMs } from './retry.js';

async function openStore(): Promise<DeliveryStore> {
  const file = await openSqliteFile({ file: ':memory:' });
  onTestFinished(() => file.close());
  return createDeliveryStore(file);
}

const put = (store: DeliveryStore, lane: string, ...names: string[]) =>
  store.put(
    names.map((name) => ({ queue: 'q', lane, name: `${lane}${name}`, channel: 'test', payload: null })),
  );

function workerOn(store: DeliveryStore, options: Partial<LaneWorkerOptions>) {
  const worker = createLaneWorker({
    store,
    queue: 'q',
    parallel: 4,
    work: async () => ({ outcome: 'done' }),
    afterCut: () => ({ state: 'waiting' }),
    onError: () => {},
    ...options,
  });
  onTestFinished(() => worker.close());
  return worker;
}

test('a lane is worked through in order, lanes side by side', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 2 })), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.integer({ min: 1, max: 3 }),
      async (given, parallel) => {
        const file = await openSqliteFile({ file: ':memory:' });
        const store = createDeliveryStore(file);
        const busy = new Set<string>();
        const worked: string[] = [];
        const errors: unknown[] = [];
        const worker = createLaneWorker({
          store,
          queue: 'q',
          parallel,
          afterCut: () => ({ state: 'waiting' }),
          onError: (error) => errors.push(error),
          async work({ lane, name }): Promise<Verdict> {
            expect(busy.has(lane)).toBe(false);
            busy.add(lane);
            expect(busy.size).toBeLessThanOrEqual(parallel);
            for (let turn = 0; turn < (given[worked.length]?.[1] ?? 0); turn += 1)
              await new Promise(setImmediate);
            busy.delete(lane);
            worked.push(name);
            return { outcome: 'done' };
          },
        });
        const names = given.map(([lane], index) => ({ lane, name: `${lane}${index}` }));
        await worker.start();
        for (const { lane, name } of names) {
          await store.put([{ queue: 'q', lane, name, channel: 'test', payload: null }]);
          worker.wake(lane);
        }
        await expect.poll(() => [worked.length, errors], { timeout: 20_000 }).toEqual([given.length, []]);
        await worker.close();
        for (const lane of ['a', 'b', 'c']) {
          const inLane = (name: string) => name.startsWith(lane);
          expect(worked.filter(inLane)).toEqual(names.map(({ name }) => name).filter(inLane));
        }
        await file.close();
      },
    ),
    { numRuns: 25 },
  );
});

test('what fails is tried again before what comes after it; what is set aside makes way', async () => {
  const store = await openStore();
  await put(store, 'a', '1', '2');
  const tries: string[] = [];
  const worker = workerOn(store, {
    async work({ name, attempts }) {
      tries.push(`${name}:${attempts}`);
      if (name === 'a2') return { outcome: 'done' };
      if (tries.length === 1) return { outcome: 'later', inMs: 0, reason: 'limited', counts: false };
      if (attempts < 3) return { outcome: 'later', inMs: 0, reason: 'down', counts: true };
      return { outcome: 'aside', change: { reason: 'poison' } };
    },
  });
  await worker.start();
  await expect.poll(() => store.count('q', 'done'), { timeout: 20_000 }).toBe(1);
  expect(tries).toEqual(['a1:1', 'a1:1', 'a1:2', 'a1:3', 'a2:1']);
  expect(await store.find('q', 'a1')).toMatchObject({ state: 'aside', reason: 'poison', attempts: 3 });
});

test('what was cut off is judged once, at the start', async () => {
  const store = await openStore();
  const [one] = await put(store, 'a', '1', '2');
  await store.change(one?.delivery.id ?? 0, { state: 'running', attempts: 1 });
  const worker = workerOn(store, { afterCut: () => ({ state: 'unknown', reason: 'cut off' }) });
  await worker.start();
  await expect.poll(() => store.count('q', 'done'), { timeout: 20_000 }).toBe(1);
  expect(await store.find('q', 'a1')).toMatchObject({ state: 'unknown', reason: 'cut off' });
});

test('what was done, but could not be written down as done, is judged as cut off and not done again', async () => {
  const store = await openStore();
  await put(store, 'a', '1');
  let done = 0;
  const failing: DeliveryStore = {
    ...store,
    async change(id, change, following) {
      if (change.state === 'done') throw new Error('locked');
      return store.change(id, change, following);
    },
  };
  const worker = workerOn(failing, {
    afterCut: () => ({ state: 'unknown', reason: 'cut off' }),
    async work() {
      done += 1;
      return { outcome: 'done' };
    },
  });
  await worker.start();
  await expect.poll(() => store.count('q', 'unknown'), { timeout: 20_000 }).toBe(1);
  expect(done).toBe(1);
});

test('what follows is stored with the end of its cause, and a work that throws is no lost delivery', async () => {
  const store = await openStore();
  await put(store, 'a', '1');
  const errors: unknown[] = [];
  const next = { queue: 'out', lane: 'x', name: 'reply', channel: 'test', payload: 1 };
  const worker = workerOn(store, {
    onError: (error) => errors.push(error),
    async work({ attempts }) {
      if (attempts === 1) throw new Error('oops');
      return { outcome: 'done', following: [next] };
    },
  });
  await worker.start();
  await expect.poll(() => store.count('out', 'waiting'), { timeout: 20_000 }).toBe(1);
  expect(errors).toHaveLength(1);
  expect((await store.find('out', 'reply'))?.causeId).toBe((await store.find('q', 'a1'))?.id);
});

test('waits grow, up to five minutes', () => {
  expect([1, 2, 3, 5, 50].map(retryDelayMs)).toEqual([1000, 4000, 16_000, 256_000, 300_000]);
});
