import { Unsupported } from '../errors.js';
import type { Case } from './case.js';
import { equal, present, refused } from './claim.js';
import { changesNothing, conversation, said, say, seqs } from './conversation.js';

export const resetting: readonly Case[] = [
  {
    promise: 'reset: closes the segment: cutoff to the end, summary and counters to nothing',
    async show({ backend, now, elapse }) {
      await conversation(backend, 'a', 3);
      await backend.append('a', [{ role: 'system', content: 'you are', meta: { origin: 'agent-prompt' } }]);
      await backend.setSummary('a', 'so far');
      elapse(1000);
      const meta = await backend.reset('a', { reason: 'idle' });
      equal(
        [
          meta.cutoff,
          meta.activeCount,
          meta.summary,
          meta.userTurns,
          meta.promptInjections,
          meta.segmentStartedAt,
        ],
        [4, 0, '', 0, 0, undefined],
        'cutoff, activeCount, summary, userTurns, promptInjections, segmentStartedAt',
      );
      equal(
        meta.segments,
        [{ lastSeq: 4, endedAt: now(), reason: 'idle', summary: 'so far' }],
        'the segments',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
    },
  },
  {
    promise: 'reset: deletes nothing; what was said stays readable, and new messages begin a segment',
    async show({ backend, now, elapse }) {
      await conversation(backend, 'a', 2);
      const before = await backend.read('a');
      await backend.reset('a');
      equal(await backend.read('a'), [], 'the active messages');
      equal(await backend.read('a', { segment: 'all' }), before, 'all messages');
      elapse(1000);
      await say(backend, 'a', 1);
      equal(seqs(await backend.read('a')), [3], 'the active messages of the new segment');
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.messageCount, meta.activeCount, meta.segmentStartedAt],
        [3, 1, now()],
        'counts and the start',
      );
    },
  },
  {
    promise: 'reset: closed segments are kept, oldest first',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await backend.reset('a', { reason: 'one' });
      await say(backend, 'a', 2);
      await backend.reset('a', { reason: 'two' });
      equal(
        (await backend.meta('a'))?.segments.map(({ lastSeq, reason }) => [lastSeq, reason]),
        [
          [1, 'one'],
          [3, 'two'],
        ],
      );
    },
  },
  {
    promise: 'reset: keepLast opens the next segment with the newest messages, a summary with those words',
    async show({ backend, now }) {
      await conversation(backend, 'a', 4);
      const meta = await backend.reset('a', { keepLast: 2, summary: 'what went before' });
      equal(
        [meta.cutoff, meta.activeCount, meta.summary, meta.segmentStartedAt],
        [2, 2, 'what went before', now()],
        'cutoff, activeCount, summary, segmentStartedAt',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(seqs(await backend.read('a')), [3, 4], 'the active messages');
    },
  },
  {
    promise: 'reset: a segment that never began needs no closing',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 1);
      await backend.reset('a');
      elapse(1000);
      await changesNothing(backend, () => backend.reset('a'));
      await backend.append('a', [said('word')]);
      await backend.truncate('a', { keepLast: 0 });
      const closed = await backend.reset('a');
      equal(
        [closed.userTurns, closed.segments.length],
        [0, 2],
        'userTurns and segments, where nothing was active',
      );
    },
  },
  {
    promise: 'reset: a keepLast that is no count is refused with Unsupported',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await changesNothing(backend, async () => {
        for (const keepLast of [-1, 0.5])
          await refused(() => backend.reset('a', { keepLast }), Unsupported, 'a');
      });
      await backend.append('a', [said('goes on')]);
    },
  },
];
