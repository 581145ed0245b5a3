import { Unsupported } from '../errors.js';
import type { StoredMessage } from '../message.js';
import type { Case } from './case.js';
import { equal, holds, refused } from './claim.js';
import { conversation, range, say, seqs } from './conversation.js';

export const reading: readonly Case[] = [
  {
    promise: 'read: a session that is missing or deleted reads as empty',
    async show({ backend }) {
      equal(await backend.read('nobody', { segment: 'all' }), [], 'the messages of a missing session');
      equal(await backend.meta('nobody'), undefined, 'the record of a missing session');
      await conversation(backend, 'a', 2);
      await backend.delete('a');
      equal(await backend.read('a', { segment: 'all' }), [], 'the messages of a deleted session');
      equal(await backend.meta('a'), undefined, 'the record of a deleted session');
    },
  },
  {
    promise: 'read: the active segment is what lies behind the cutoff, and the default; all is everything',
    async show({ backend }) {
      await conversation(backend, 'a', 5);
      await backend.truncate('a', { throughSeq: 3 });
      equal(seqs(await backend.read('a')), [4, 5], 'by default');
      equal(seqs(await backend.read('a', { segment: 'active' })), [4, 5], 'the active segment');
      equal(seqs(await backend.read('a', { segment: 'all' })), range(1, 5), 'all');
    },
  },
  {
    promise: 'read: after and before are exclusive, and stay within the segment',
    async show({ backend }) {
      await conversation(backend, 'a', 6);
      equal(seqs(await backend.read('a', { after: 2 })), [3, 4, 5, 6], 'after 2');
      equal(seqs(await backend.read('a', { before: 3 })), [1, 2], 'before 3');
      equal(seqs(await backend.read('a', { after: 2, before: 5 })), [3, 4], 'after 2 before 5');
      equal(seqs(await backend.read('a', { after: 4, before: 4 })), [], 'after 4 before 4');
      equal(seqs(await backend.read('a', { after: 0, before: 99 })), range(1, 6), 'after 0 before 99');
      await backend.truncate('a', { throughSeq: 4 });
      equal(seqs(await backend.read('a', { after: 1 })), [5, 6], 'after 1, behind a cutoff of 4');
      equal(seqs(await backend.read('a', { before: 5 })), [], 'before 5, behind a cutoff of 4');
    },
  },
  {
    promise: 'read: a limit gives the oldest of the range, in descending order the newest',
    async show({ backend }) {
      await conversation(backend, 'a', 6);
      equal(seqs(await backend.read('a', { limit: 2 })), [1, 2], 'limit 2');
      equal(seqs(await backend.read('a', { limit: 2, order: 'desc' })), [6, 5], 'limit 2, descending');
      equal(seqs(await backend.read('a', { limit: 2, after: 2 })), [3, 4], 'limit 2 after 2');
      equal(
        seqs(await backend.read('a', { limit: 2, before: 4, order: 'desc' })),
        [3, 2],
        'limit 2 before 4, descending',
      );
      equal(seqs(await backend.read('a', { limit: 0 })), [], 'limit 0');
      equal(seqs(await backend.read('a', { limit: 100 })), range(1, 6), 'limit 100');
    },
  },
  {
    promise: 'read: descending order is ascending order turned round',
    async show({ backend }) {
      await conversation(backend, 'a', 7);
      equal(
        [...(await backend.read('a', { order: 'desc' }))].reverse(),
        await backend.read('a', { order: 'asc' }),
      );
    },
  },
  {
    promise: 'read: a bound that is no whole number from 0 is refused with Unsupported',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refused(() => backend.read('a', { limit: value }), Unsupported, 'a');
        await refused(() => backend.read('a', { after: value }), Unsupported, 'a');
        await refused(() => backend.read('a', { before: value }), Unsupported, 'a');
      }
    },
  },
  {
    promise: 'read: the tail of a session is asked of the store with its limit, not read whole',
    async show({ backend, intercept }) {
      await conversation(backend, 'a', 50);
      const limits: number[] = [];
      intercept({
        before({ method, limit }) {
          if (method === 'scan' && limit !== undefined) limits.push(limit);
        },
      });
      equal(seqs(await backend.read('a', { limit: 3, order: 'desc' })), [50, 49, 48]);
      holds(
        limits.every((limit) => limit <= 3),
        `it asked the driver for ${limits} messages`,
      );
    },
  },
  {
    promise: 'read: what a caller does to what it was given does not reach the store',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [{ role: 'user', content: [{ type: 'text', text: 'as given' }], id: 'm' }]);
      const before = structuredClone(await backend.read('a'));
      const given = (await backend.read('a')) as StoredMessage[];
      scribble(() => given.pop());
      const [message] = (await backend.read('a')) as unknown as { content: unknown[]; role: string }[];
      scribble(() => message?.content.push('scribble'));
      scribble(() => {
        if (message !== undefined) message.role = 'system';
      });
      const meta = (await backend.meta('a')) as { summary: string; aliases: string[] } | undefined;
      scribble(() => meta?.aliases.push('scribble'));
      scribble(() => {
        if (meta !== undefined) meta.summary = 'scribble';
      });
      equal(await backend.read('a'), before, 'the messages');
      const after = await backend.meta('a');
      equal([after?.summary, after?.aliases], ['', []], 'the record');
    },
  },
  {
    promise: 'read: sessions do not mix, however their messages came in',
    async show({ backend }) {
      const keys = ['a', 'b', 'c'];
      for (const key of keys) await conversation(backend, key);
      for (let round = 0; round < 4; round += 1) for (const key of keys) await say(backend, key, 1);
      for (const key of keys) equal(seqs(await backend.read(key)), range(1, 4), `the seqs of ${key}`);
    },
  },
];

/** Frozen answers are as good as copies: either keeps the store out of reach. */
function scribble(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
