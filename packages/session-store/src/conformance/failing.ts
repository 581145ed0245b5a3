import type { SessionBackend } from '../backend.js';
import { StoreFailed, StoreFull } from '../errors.js';
import type { Case } from './case.js';
import { equal, holds, refused } from './claim.js';
import { changesNothing, contents, conversation, said, seqs } from './conversation.js';
import { writes } from './lifecycle.js';
import type { DriverCall, Interception } from './wire.js';

const accident = new Error('the disk fell off');

/** The next call of this kind fails before it reaches the driver. */
function failing(method: DriverCall['method'], error: unknown = accident): Interception {
  return {
    before(call) {
      if (call.method === method) throw error;
    },
  };
}

/** A session for every write to change. */
async function prepare(backend: SessionBackend): Promise<void> {
  await conversation(backend, 'a', 3);
  await backend.truncate('a', { keepLast: 2 });
  await conversation(backend, 'older', 1);
  await conversation(backend, 'empty');
  await conversation(backend, 'archived', 1);
  await backend.archive('archived');
  await conversation(backend, 'deleted', 1);
  await backend.delete('deleted');
}

/** Where each write has something to do. */
const place: { readonly [operation: string]: string } = { promote: 'empty', unarchive: 'archived' };

const allWrites: typeof writes = [
  ...writes,
  ['ensure', (backend, key) => backend.ensure(key, { title: 'written' })],
  ['restore', (backend) => backend.restore('deleted')],
  ['purge', (backend) => backend.purge('deleted')],
];

const reads: readonly (readonly [
  DriverCall['method'],
  string | undefined,
  (backend: SessionBackend) => Promise<unknown>,
])[] = [
  ['load', 'a', (backend) => backend.meta('a')],
  ['load', 'a', (backend) => backend.read('a')],
  ['scan', 'a', (backend) => backend.read('a')],
  ['scan', 'a', (backend) => backend.truncate('a', { keepLast: 1 })],
  ['load', 'a', (backend) => backend.ensure('a', { title: 'written' })],
  ['owner', 'a', (backend) => backend.ensure('a', { aliases: ['name'] })],
  ['owner', 'name', (backend) => backend.resolve('name')],
  ['load', 'name', (backend) => backend.resolve('name')],
  ['page', undefined, (backend) => backend.list()],
  [
    'page',
    undefined,
    async (backend) => {
      for await (const _entry of backend.export()) break;
    },
  ],
];

async function typed(call: () => Promise<unknown>, key: string | undefined, what: string): Promise<void> {
  const error = await refused(call, StoreFailed, key);
  equal(error.cause, accident, `the cause of the error of ${what}`);
  holds(
    error.message.includes(accident.message),
    `the error of ${what} does not say what happened: ${error.message}`,
  );
  if (key !== undefined) holds(error.message.includes(key), `the error of ${what} does not name the session`);
}

export const failingStores: readonly Case[] = [
  {
    promise:
      'errors: a write that the store cannot do rejects typed, named, with its cause, and changes nothing',
    async show({ backend, intercept }) {
      await prepare(backend);
      for (const [operation, write] of allWrites) {
        const key = ['restore', 'purge'].includes(operation) ? 'deleted' : (place[operation] ?? 'a');
        await changesNothing(backend, async () => {
          const mend = intercept(failing('transact'));
          await typed(() => write(backend, key), key, operation);
          mend();
        });
      }
    },
  },
  {
    promise:
      'errors: a look-up that the store cannot do rejects typed, named, with its cause, and changes nothing',
    async show({ backend, intercept }) {
      await prepare(backend);
      for (const [method, key, call] of reads) {
        await changesNothing(backend, async () => {
          const mend = intercept(failing(method));
          await typed(() => call(backend), key, method);
          mend();
        });
      }
    },
  },
  {
    promise: 'errors: a full store is told by StoreFull, and goes on once there is room',
    async show({ backend, intercept }) {
      await conversation(backend, 'a', 1);
      for (const code of ['ENOSPC', 'EDQUOT']) {
        await changesNothing(backend, async () => {
          const mend = intercept(failing('transact', Object.assign(new Error('no space left'), { code })));
          await refused(() => backend.append('a', [said('x')]), StoreFull, 'a');
          equal(contents(await backend.read('a')), ['word 1'], 'what is read meanwhile');
          mend();
        });
      }
      equal(seqs(await backend.append('a', [said('x')])), [2], 'the next seq');
    },
  },
  {
    promise: 'errors: a typed error of the store comes through as it is',
    async show({ backend, intercept }) {
      await conversation(backend, 'a', 1);
      const own = new StoreFull('no', { key: 'a' });
      const mend = intercept(failing('transact', own));
      holds(
        (await refused(() => backend.setSummary('a', 'x'), StoreFull, 'a')) === own,
        'it is another error',
      );
      mend();
    },
  },
  {
    promise: 'errors: after a failure the session goes on, in order, without a gap in its seqs',
    async show({ backend, intercept }) {
      await conversation(backend, 'a', 1);
      let broken = true;
      const mend = intercept({
        before({ method }) {
          if (method === 'transact' && broken) {
            broken = false;
            throw accident;
          }
        },
      });
      const failed = refused(() => backend.append('a', [said('lost')]), StoreFailed, 'a');
      const summed = backend.setSummary('a', 'so far');
      const next = backend.append('a', [said('next')]);
      const [appended] = await Promise.all([next, failed, summed]);
      equal(seqs(appended), [2], 'the seq of the next message');
      mend();
      equal(contents(await backend.read('a')), ['word 1', 'next'], 'the messages');
    },
  },
  {
    promise: 'errors: appends that waited together fail together, and none of them is stored',
    async show(bench) {
      await conversation(bench.backend, 'a', 1);
      await changesNothing(bench.backend, async () => {
        const mend = bench.intercept(failing('transact'));
        await Promise.all(
          ['one', 'two', 'three'].map((text) =>
            refused(() => bench.backend.append('a', [said(text)]), StoreFailed, 'a'),
          ),
        );
        mend();
      });
    },
  },
  {
    promise: 'errors: a retry by id after a failure that came too late stores nothing twice',
    async show(bench) {
      const { backend } = bench;
      await conversation(backend, 'a');
      const mend = bench.intercept(failingAfterwards());
      await refused(() => backend.append('a', [said('once', { id: 'm' })]), StoreFailed, 'a');
      mend();
      const [again] = await backend.append('a', [said('once', { id: 'm' })]);
      equal([again?.id, again?.seq], ['m', 1], 'the answer to the retry');
      equal(contents(await backend.read('a')), ['once'], 'the messages');
    },
  },
];

/** The driver does its work, and then the news of it is lost. */
function failingAfterwards(): Interception {
  return {
    after({ method }) {
      if (method === 'transact') throw accident;
    },
  };
}
