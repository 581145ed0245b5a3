import type { Case } from './case.js';
import { equal } from './claim.js';
import { changesNothing, conversation, seqs } from './conversation.js';

export const summarising: readonly Case[] = [
  {
    promise: 'setSummary: the summary is what was set last, and nothing else changes',
    async show({ backend, elapse, now }) {
      await conversation(backend, 'a', 2);
      const before = await backend.meta('a');
      elapse(1000);
      await backend.setSummary('a', 'first');
      const meta = await backend.setSummary('a', 'second 日本語\n"x"');
      equal(
        meta,
        { ...before, summary: 'second 日本語\n"x"', updatedAt: now(), revision: (before?.revision ?? 0) + 2 },
        'the record',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(seqs(await backend.read('a')), [1, 2], 'the messages');
    },
  },
  {
    promise: 'setSummary: an empty one takes the summary away',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await backend.setSummary('a', 'something');
      equal((await backend.setSummary('a', '')).summary, '', 'the answer');
      equal((await backend.meta('a'))?.summary, '', 'the summary that is read');
    },
  },
  {
    promise: 'setSummary: the same again changes nothing',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 1);
      await backend.setSummary('a', 'same');
      elapse(1000);
      await changesNothing(backend, () => backend.setSummary('a', 'same'));
    },
  },
];
