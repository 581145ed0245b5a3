import { Unsupported } from '../errors.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { changesNothing, conversation, range, said, seqs, thought } from './conversation.js';

export const truncating: readonly Case[] = [
  {
    promise: 'truncate: keepLast leaves the last N active and deletes nothing',
    async show({ backend }) {
      await conversation(backend, 'a', 5);
      const meta = await backend.truncate('a', { keepLast: 2 });
      equal(
        [meta.cutoff, meta.activeCount, meta.messageCount],
        [3, 2, 5],
        'cutoff, activeCount, messageCount',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(seqs(await backend.read('a')), [4, 5], 'the active messages');
      equal(seqs(await backend.read('a', { segment: 'all' })), range(1, 5), 'all messages');
    },
  },
  {
    promise: 'truncate: throughSeq hides the messages up to it',
    async show({ backend }) {
      await conversation(backend, 'a', 5);
      equal((await backend.truncate('a', { throughSeq: 2 })).activeCount, 3, 'activeCount');
      equal(seqs(await backend.read('a')), [3, 4, 5], 'the active messages');
      await backend.truncate('a', { throughSeq: 99 });
      equal(seqs(await backend.read('a')), [], 'the active messages after cutting past the end');
      equal(seqs(await backend.append('a', [said('next')])), [6], 'the next seq');
      equal(seqs(await backend.read('a')), [6], 'the active messages after an append');
    },
  },
  {
    promise: 'truncate: with 0 to keep nothing is active',
    async show({ backend }) {
      await conversation(backend, 'a', 3);
      const meta = await backend.truncate('a', { keepLast: 0 });
      equal([meta.cutoff, meta.activeCount], [3, 0], 'cutoff, activeCount');
      equal(await backend.read('a'), [], 'the active messages');
    },
  },
  {
    promise: 'truncate: a thought does not count among the last N',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('one'), said('two'), thought, said('three'), thought]);
      equal((await backend.truncate('a', { keepLast: 2 })).activeCount, 4, 'activeCount');
      equal(seqs(await backend.read('a')), [2, 3, 4, 5], 'the active messages');
    },
  },
  {
    promise: 'truncate: the summary of what it hides is set in the same step, and otherwise stays',
    async show({ backend }) {
      await conversation(backend, 'a', 4);
      equal(
        (await backend.truncate('a', { keepLast: 3, summary: 'first' })).summary,
        'first',
        'the summary set',
      );
      equal((await backend.truncate('a', { keepLast: 2 })).summary, 'first', 'the summary left alone');
      equal(
        (await backend.truncate('a', { keepLast: 2, summary: 'more' })).summary,
        'more',
        'a summary alone',
      );
      equal((await backend.meta('a'))?.summary, 'more', 'the summary that is read');
    },
  },
  {
    promise: 'truncate: the cutoff never moves back',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 5);
      await backend.truncate('a', { keepLast: 2 });
      elapse(1000);
      await changesNothing(backend, async () => {
        await backend.truncate('a', { keepLast: 4 });
        await backend.truncate('a', { throughSeq: 1 });
        await backend.truncate('a', { throughSeq: 0 });
      });
    },
  },
  {
    promise: 'truncate: a number that is no count or seq is refused with Unsupported',
    async show({ backend }) {
      await conversation(backend, 'a', 3);
      await changesNothing(backend, async () => {
        for (const value of [-1, 1.5, Number.NaN]) {
          await refused(() => backend.truncate('a', { keepLast: value }), Unsupported, 'a');
          await refused(() => backend.truncate('a', { throughSeq: value }), Unsupported, 'a');
        }
      });
    },
  },
  {
    promise: 'truncate: a long session is cut where it was said',
    async show({ backend }) {
      await conversation(backend, 'a', 700);
      equal((await backend.truncate('a', { keepLast: 600 })).cutoff, 100, 'the cutoff');
      equal(seqs(await backend.read('a', { limit: 1 })), [101], 'the first active message');
    },
  },
];
