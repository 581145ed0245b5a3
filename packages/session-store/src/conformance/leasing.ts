import { AssertionError } from 'node:assert';
import type { Lease, LeaseRequest, SessionBackend, WriteGuard } from '../backend.js';
import { LeaseLost, Unsupported } from '../errors.js';
import type { Bench } from './bench.js';
import type { Case } from './case.js';
import { equal, holds, present, refused } from './claim.js';
import { changesNothing, contents, conversation, said } from './conversation.js';

const long = 600_000;

/** A lease that must be given at once. */
async function taken(backend: SessionBackend, key: string, request: LeaseRequest): Promise<Lease> {
  return present(await backend.lease(key, request), `the lease of "${key}" for ${request.holder}`);
}

/** Waits until the lease is given: the backend's clock goes on, and the store's own where it judges leases itself. */
async function takenOnceFree(
  { backend, elapse, ownLeases }: Bench,
  key: string,
  holder: string,
): Promise<Lease> {
  for (let attempt = 1; attempt <= 400; attempt += 1) {
    const lease = await backend.lease(key, { holder, ttlMs: long });
    if (lease !== undefined) return lease;
    elapse(50);
    if (ownLeases) await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new AssertionError({ message: 'the lease is not given, long after it ran out' });
}

/** Every write that takes a guard. */
const guarded: readonly (readonly [
  string,
  (backend: SessionBackend, guard: WriteGuard) => Promise<unknown>,
])[] = [
  ['append', (backend, guard) => backend.append('a', [said('written')], guard)],
  ['ensure', (backend, guard) => backend.ensure('a', { title: 'written' }, guard)],
  ['promote', (backend, guard) => backend.promote('empty', ['older'], guard)],
  ['setSummary', (backend, guard) => backend.setSummary('a', 'written', guard)],
  ['replace', (backend, guard) => backend.replace('a', [said('written')], guard)],
  ['truncate', (backend, guard) => backend.truncate('a', { keepLast: 1 }, guard)],
  ['reset', (backend, guard) => backend.reset('a', {}, guard)],
  ['compact', (backend, guard) => backend.compact('a', guard)],
  ['clear', (backend, guard) => backend.clear('a', guard)],
];

export const leasing: readonly Case[] = [
  {
    promise: 'lease: one holder at a time, for each session its own',
    async show({ backend }) {
      const lease = await taken(backend, 'a', { holder: 'one', ttlMs: long });
      equal(lease.key, 'a', 'the session of the lease');
      equal(
        await backend.lease('a', { holder: 'two', ttlMs: long }),
        undefined,
        'what a second holder is given',
      );
      await taken(backend, 'b', { holder: 'two', ttlMs: long });
    },
  },
  {
    promise: 'lease: tokens rise with every grant, for the same holder too',
    async show(bench) {
      const { backend } = bench;
      const first = await taken(backend, 'a', { holder: 'one', ttlMs: long });
      const second = await taken(backend, 'a', { holder: 'one', ttlMs: long });
      await second.release();
      const third = await taken(backend, 'a', { holder: 'two', ttlMs: long });
      holds(
        first.token < second.token && second.token < third.token,
        `the tokens are ${first.token}, ${second.token}, ${third.token}`,
      );
    },
  },
  {
    promise: 'lease: what was released is free at once',
    async show({ backend }) {
      const lease = await taken(backend, 'a', { holder: 'one', ttlMs: long });
      await lease.release();
      await taken(backend, 'a', { holder: 'two', ttlMs: long });
    },
  },
  {
    promise: 'lease: what has run out is free, and a renewal puts that off',
    async show(bench) {
      const { backend, elapse, ownLeases } = bench;
      await taken(backend, 'a', { holder: 'one', ttlMs: 40 });
      const second = await takenOnceFree(bench, 'a', 'two');
      await second.renew();
      if (!ownLeases) {
        elapse(long - 1);
        equal(
          await backend.lease('a', { holder: 'one', ttlMs: 40 }),
          undefined,
          'what another is given before',
        );
        await second.renew();
        elapse(long - 1);
      }
      equal(await backend.lease('a', { holder: 'one', ttlMs: 40 }), undefined, 'what another is given after');
    },
  },
  {
    promise: 'lease: in force it lets every write through',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      const guard = { lease: await taken(backend, 'a', { holder: 'one', ttlMs: long }) };
      await backend.append('a', [said('three')], guard);
      await backend.replace('a', (await backend.read('a')).slice(1), guard);
      await backend.truncate('a', { keepLast: 1, summary: 'so far' }, guard);
      await backend.compact('a', guard);
      await backend.ensure('a', { title: 'title' }, guard);
      equal(contents(await backend.read('a', { segment: 'all' })), ['three'], 'the messages');
      await backend.reset('a', {}, guard);
      await backend.setSummary('a', 'again', guard);
      await backend.clear('a', guard);
      await conversation(backend, 'older', 1);
      await conversation(backend, 'empty');
      equal(
        await backend.promote('empty', ['older'], {
          lease: await taken(backend, 'empty', { holder: 'one', ttlMs: long }),
        }),
        { from: 'older', messages: 1 },
      );
    },
  },
  {
    promise:
      'lease: once another has taken it, every write under it is refused with LeaseLost and changes nothing',
    async show(bench) {
      const { backend } = bench;
      await conversation(backend, 'a', 3);
      await backend.truncate('a', { keepLast: 2 });
      await conversation(backend, 'older', 1);
      await conversation(backend, 'empty');
      const lease = await taken(backend, 'a', { holder: 'one', ttlMs: 40 });
      const ofEmpty = await taken(backend, 'empty', { holder: 'one', ttlMs: 40 });
      const second = await takenOnceFree(bench, 'a', 'two');
      await takenOnceFree(bench, 'empty', 'two');
      await changesNothing(backend, async () => {
        for (const [operation, write] of guarded) {
          const guard = { lease: operation === 'promote' ? ofEmpty : lease };
          await refused(() => write(backend, guard), LeaseLost, guard.lease.key);
        }
      });
      await refused(() => lease.renew(), LeaseLost, 'a');
      await backend.append('a', [said('by the new holder')], { lease: second });
    },
  },
  {
    promise: 'lease: once released it fences too',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      const lease = await taken(backend, 'a', { holder: 'one', ttlMs: long });
      await lease.release();
      await changesNothing(backend, () =>
        refused(() => backend.append('a', [said('late')], { lease }), LeaseLost, 'a'),
      );
    },
  },
  {
    promise: 'lease: releasing one that was lost leaves the new holder alone',
    async show(bench) {
      const { backend } = bench;
      await conversation(backend, 'a');
      const first = await taken(backend, 'a', { holder: 'one', ttlMs: 40 });
      const second = await takenOnceFree(bench, 'a', 'two');
      await first.release();
      equal(await backend.lease('a', { holder: 'three', ttlMs: long }), undefined, 'what a third is given');
      await backend.append('a', [said('by the new holder')], { lease: second });
    },
  },
  {
    promise: 'lease: waiting appends under different leases are judged each by its own',
    async show(bench) {
      const { backend } = bench;
      await conversation(backend, 'a');
      const lost = await taken(backend, 'a', { holder: 'one', ttlMs: 40 });
      const lease = await takenOnceFree(bench, 'a', 'two');
      // The first is under way at once; the others wait behind it, side by side.
      await Promise.all([
        backend.append('a', [said('before')]),
        backend.append('a', [said('first')], { lease }),
        refused(() => backend.append('a', [said('late')], { lease: lost }), LeaseLost, 'a'),
        backend.append('a', [said('second')], { lease }),
        backend.append('a', [said('after')]),
      ]);
      equal(contents(await backend.read('a')), ['before', 'first', 'second', 'after'], 'the messages');
    },
  },
  {
    promise: 'lease: of another session it lets nothing through, and one without an end is not given',
    async show({ backend }) {
      await conversation(backend, 'a', 3);
      await backend.truncate('a', { keepLast: 2 });
      await conversation(backend, 'older', 1);
      await conversation(backend, 'empty');
      const guard = { lease: await taken(backend, 'other', { holder: 'one', ttlMs: long }) };
      await changesNothing(backend, async () => {
        for (const [, write] of guarded) await refused(() => write(backend, guard), Unsupported);
      });
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refused(() => backend.lease('a', { holder: 'one', ttlMs }), Unsupported, 'a');
      }
    },
  },
];
