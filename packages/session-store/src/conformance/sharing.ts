import { LeaseLost } from '../errors.js';
import type { Case } from './case.js';
import { equal, present, refused } from './claim.js';
import { contents, conversation, range, said, seqs } from './conversation.js';
import { held } from './wire.js';

const shared: Case['when'] = ({ sharing }) => sharing === 'many-processes';

export const sharing: readonly Case[] = [
  {
    promise: 'sharing: what one process was promised, the other sees at once',
    when: shared,
    async show({ backend, second }) {
      const other = await second();
      await backend.ensure('a', { aliases: ['name'] });
      await backend.append('a', [said('one')]);
      equal(await other.resolve('name'), 'a', 'where the name leads');
      equal(seqs(await other.append('a', [said('two')])), [2], 'the next seq of the other');
      await other.truncate('a', { keepLast: 1, summary: 'so far' });
      equal(contents(await backend.read('a')), ['two'], 'the messages');
      equal((await backend.meta('a'))?.summary, 'so far', 'the summary');
    },
  },
  {
    promise: 'sharing: appends of two processes at once are stored each once, without a gap',
    when: shared,
    async show({ backend, second }) {
      const other = await second();
      await conversation(backend, 'a');
      await Promise.all(
        range(1, 30).flatMap((number) => [
          backend.append('a', [said(`first ${number}`), said(`first ${number}, too`)]),
          other.append('a', [said(`second ${number}`)]),
          other.append('a', [said('both', { id: `both ${number}` })]),
          backend.append('a', [said('both', { id: `both ${number}` })]),
        ]),
      );
      const messages = await backend.read('a');
      equal(seqs(messages), range(1, 120), 'the seqs');
      equal((await other.meta('a'))?.messageCount, 120, 'messageCount');
      const mine = contents(messages).filter((content) => String(content).startsWith('first'));
      equal(
        mine,
        range(1, 30).flatMap((number) => [`first ${number}`, `first ${number}, too`]),
        'the order of one',
      );
    },
  },
  {
    promise: 'sharing: two processes that create one session or claim one alias: one does',
    when: shared,
    async show({ backend, second }) {
      const other = await second();
      const both = await Promise.all([backend.ensure('a'), other.ensure('a')]);
      equal(both.filter(({ created }) => created).length, 1, 'how many say that they created it');
      const claims = await Promise.all([
        backend.ensure('b', { aliases: ['name'] }),
        other.ensure('c', { aliases: ['name'] }),
      ]);
      equal(claims.flatMap(({ refused: no }) => no).length, 1, 'how many were refused');
      equal(await backend.resolve('name'), await other.resolve('name'), 'where the name leads');
    },
  },
  {
    promise: 'sharing: changes that read first hold against the other process',
    when: shared,
    async show(bench) {
      const { backend } = bench;
      const other = await bench.second();
      const changes: readonly (readonly [string, (key: string) => Promise<unknown>, number])[] = [
        ['truncate', (key) => backend.truncate(key, { keepLast: 0, summary: 'so far' }), 2],
        ['reset', (key) => backend.reset(key, { keepLast: 1 }), 2],
        ['replace', (key) => backend.replace(key, [said('all')]), 1],
      ];
      for (const [operation, change, count] of changes) {
        await conversation(backend, operation, 1);
        const { arrived, letGo } = held(bench, 'transact');
        const changed = change(operation);
        await arrived;
        await other.append(operation, [said('between')]);
        letGo();
        await changed;
        const after = present(await backend.meta(operation), 'the record');
        const all = await backend.read(operation, { segment: 'all' });
        equal([after.messageCount, all.length], [count, count], `messages after ${operation}`);
        const active = await backend.read(operation);
        equal(after.activeCount, active.length, `active messages after ${operation}`);
      }
      await conversation(backend, 'a', 2);
      await Promise.all(
        range(1, 10).flatMap((number) => [
          backend.truncate('a', { keepLast: 3 }),
          other.append('a', [said(`more ${number}`)]),
        ]),
      );
      const meta = present(await backend.meta('a'), 'the record');
      equal([meta.messageCount, meta.lastSeq], [12, 12], 'messageCount, lastSeq');
      equal(seqs(await backend.read('a')), range(meta.cutoff + 1, 12), 'the active messages');
      equal(meta.activeCount, 12 - meta.cutoff, 'activeCount');
    },
  },
  {
    promise:
      'sharing: a lease keeps the other process out, and one that was lost writes nothing there either',
    when: shared,
    async show({ backend, second }) {
      const other = await second();
      await conversation(backend, 'a');
      const lease = present(await backend.lease('a', { holder: 'one', ttlMs: 600_000 }), 'the lease');
      equal(await other.lease('a', { holder: 'two', ttlMs: 600_000 }), undefined, 'what the other is given');
      await lease.release();
      const theirs = present(
        await other.lease('a', { holder: 'two', ttlMs: 600_000 }),
        'the lease once released',
      );
      await refused(() => backend.append('a', [said('late')], { lease }), LeaseLost, 'a');
      await other.append('a', [said('in time')], { lease: theirs });
      equal(contents(await backend.read('a')), ['in time'], 'the messages');
    },
  },
];
