import type { Case } from './case.js';
import { equal, present } from './claim.js';
import { changesNothing, conversation, said, say, seqs } from './conversation.js';

export const compacting: readonly Case[] = [
  {
    promise: 'compact: physically removes what lies up to the cutoff, and says how much',
    async show({ backend }) {
      await conversation(backend, 'a', 5);
      await backend.truncate('a', { keepLast: 2, summary: 'so far' });
      const kept = await backend.read('a');
      equal(await backend.compact('a'), { removed: 3 }, 'the answer');
      equal(await backend.read('a', { segment: 'all' }), kept, 'all messages');
      equal(await backend.read('a'), kept, 'the active messages');
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.messageCount, meta.activeCount, meta.lastSeq, meta.summary],
        [2, 2, 5, 'so far'],
        'messageCount, activeCount, lastSeq, summary',
      );
    },
  },
  {
    promise: 'compact: seqs go on where they were, even when nothing is left',
    async show(bench) {
      await conversation(bench.backend, 'a', 3);
      await bench.backend.reset('a');
      equal(await bench.backend.compact('a'), { removed: 3 }, 'the answer');
      if (bench.capabilities.durable !== false) await bench.reopen();
      equal(seqs(await bench.backend.append('a', [said('next')])), [4], 'the next seq');
      equal(seqs(await bench.backend.read('a', { segment: 'all' })), [4], 'the messages');
    },
  },
  {
    promise: 'compact: with nothing to remove changes nothing',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 2);
      elapse(1000);
      await changesNothing(backend, async () =>
        equal(await backend.compact('a'), { removed: 0 }, 'the answer'),
      );
    },
  },
  {
    promise: 'compact: a second time removes only what was hidden since',
    async show({ backend }) {
      await conversation(backend, 'a', 4);
      await backend.truncate('a', { keepLast: 2 });
      await backend.compact('a');
      await say(backend, 'a', 2);
      await backend.truncate('a', { keepLast: 1 });
      equal(await backend.compact('a'), { removed: 3 }, 'the answer');
      equal(seqs(await backend.read('a', { segment: 'all' })), [6], 'the messages');
    },
  },
  {
    promise: 'compact: the bin is emptied with it',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      await backend.delete('a');
      await backend.ensure('a');
      await say(backend, 'a', 1);
      equal(await backend.compact('a'), { removed: 2 }, 'the answer');
      equal((await backend.meta('a'))?.bin, undefined, 'the bin');
      equal((await backend.list({ deleted: true })).sessions, [], 'the deleted sessions');
      equal(seqs(await backend.read('a')), [3], 'the messages');
    },
  },
];
