import type { SessionBackend } from '../backend.js';
import { StoreClosed } from '../errors.js';
import type { Case } from './case.js';
import { equal, holds, present, refused } from './claim.js';
import { conversation, said, seqs } from './conversation.js';
import { writes } from './lifecycle.js';
import { type DriverCall, held } from './wire.js';

/** Every call but those in `writes`. */
const others: readonly (readonly [string, (backend: SessionBackend) => Promise<unknown>])[] = [
  ['read', (backend) => backend.read('a')],
  ['meta', (backend) => backend.meta('a')],
  ['ensure', (backend) => backend.ensure('a')],
  ['resolve', (backend) => backend.resolve('a')],
  ['list', (backend) => backend.list()],
  ['restore', (backend) => backend.restore('a')],
  ['purge', (backend) => backend.purge('a')],
  ['search', (backend) => backend.search('a')],
  ['import', (backend) => backend.import([])],
  ['lease', (backend) => backend.lease('a', { holder: 'one', ttlMs: 1000 })],
  [
    'export',
    async (backend) => {
      for await (const _entry of backend.export()) break;
    },
  ],
];

/** Time enough for a closing that does not wait to go too far. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const closing: readonly Case[] = [
  {
    promise: 'close: waits for the writes under way, which are stored',
    async show(bench) {
      const { backend } = bench;
      await conversation(backend, 'a');
      const { arrived, letGo, done } = held(bench, 'transact');
      const first = backend.append('a', [said('one')]);
      await arrived;
      const second = backend.append('a', [said('two')]);
      const summed = backend.setSummary('a', 'so far');
      const closed = backend.close();
      await someTurns();
      letGo();
      const answers = await Promise.all([first, second, summed, closed]);
      equal([seqs(answers[0]), seqs(answers[1]), answers[2].summary], [[1], [2], 'so far'], 'the answers');
      equal(done.at(-1), 'close', 'the last call to the driver');
      if (bench.capabilities.durable !== false) {
        await bench.reopen();
        equal(seqs(await bench.backend.read('a')), [1, 2], 'the messages after opening again');
      }
    },
  },
  {
    promise: 'close: waits for the reads under way',
    async show(bench) {
      const readings: readonly (readonly [
        DriverCall['method'],
        (backend: SessionBackend) => Promise<unknown>,
      ])[] = [
        ['scan', (backend) => backend.read('a')],
        ['page', (backend) => backend.list()],
        ['owner', (backend) => backend.resolve('name')],
      ];
      for (const [method, read] of readings) {
        const fresh = await bench.another();
        await conversation(fresh.backend, 'a', 1);
        const { arrived, letGo, done } = held(fresh, method);
        const answer = read(fresh.backend);
        await arrived;
        const closed = fresh.backend.close();
        await someTurns();
        letGo();
        await Promise.all([answer, closed]);
        equal(done.at(-1), 'close', `the last call to the driver, after a ${method}`);
      }
    },
  },
  {
    promise: 'close: afterwards every call rejects with StoreClosed',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      const lease = present(await backend.lease('a', { holder: 'one', ttlMs: 1000 }), 'the lease');
      const exporting = backend.export();
      const began = await exporting[Symbol.asyncIterator]().next();
      holds(began.done !== true, 'the export has no entry');
      await backend.close();
      for (const [, write] of writes) await refused(() => write(backend, 'a'), StoreClosed);
      for (const [, call] of others) await refused(() => call(backend), StoreClosed);
      await refused(() => lease.renew(), StoreClosed);
      await refused(() => lease.release(), StoreClosed);
    },
  },
  {
    promise: 'close: an import under way ends with StoreClosed, and not in the middle of a step',
    async show({ backend, another }) {
      await conversation(backend, 'a', 600);
      const other = (await another()).backend;
      let entries = 0;
      let closed: Promise<void> | undefined;
      async function* slow() {
        for await (const entry of backend.export()) {
          entries += 1;
          if (entries === 300) closed = other.close();
          yield entry;
        }
      }
      await refused(() => other.import(slow()), StoreClosed);
      await closed;
    },
  },
  {
    promise: 'close: again does nothing',
    async show(bench) {
      let closes = 0;
      bench.intercept({
        before({ method }) {
          if (method === 'close') closes += 1;
        },
      });
      await Promise.all([bench.backend.close(), bench.backend.close()]);
      await bench.backend.close();
      equal(closes, 1, 'how often the driver was closed');
    },
  },
];
