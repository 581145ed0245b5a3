import { InvalidMessage } from '../errors.js';
import type { Message } from '../message.js';
import type { Case } from './case.js';
import { equal, present, refused } from './claim.js';
import { answered, changesNothing, contents, conversation, said, seqs } from './conversation.js';

export const replacing: readonly Case[] = [
  {
    promise:
      'replace: the active segment is then these messages; the unchanged ones at its beginning keep their seqs',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 4);
      const before = await backend.read('a');
      elapse(1000);
      const answer = await backend.replace('a', [
        said('word 1'),
        said('word 2'),
        answered('other', { id: 'other' }),
        said('word 4'),
      ]);
      equal(seqs(answer), [1, 2, 5, 6], 'the seqs of the answer');
      equal(
        answer.map(({ appended }) => appended),
        [false, false, true, true],
        'what was appended',
      );
      const after = await backend.read('a', { segment: 'all' });
      equal(contents(after), ['word 1', 'word 2', 'other', 'word 4'], 'the contents');
      equal(after.slice(0, 2), before.slice(0, 2), 'the unchanged ones');
      equal(seqs(after), [1, 2, 5, 6], 'the seqs that are read');
    },
  },
  {
    promise: 'replace: setting a history to itself changes nothing',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 3);
      const history = await backend.read('a');
      elapse(1000);
      await changesNothing(backend, () => backend.replace('a', history));
      await changesNothing(backend, () =>
        backend.replace('a', [said('word 1'), said('word 2'), said('word 3')]),
      );
    },
  },
  {
    promise: 'replace: a shorter history cuts the end off, and its seqs are not used again',
    async show({ backend }) {
      await conversation(backend, 'a', 4);
      await backend.replace('a', (await backend.read('a')).slice(0, 2));
      equal(seqs(await backend.read('a', { segment: 'all' })), [1, 2], 'what is left');
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.messageCount, meta.activeCount, meta.lastSeq, meta.userTurns],
        [2, 2, 4, 2],
        'messageCount, activeCount, lastSeq, userTurns',
      );
      equal(seqs(await backend.append('a', [said('next')])), [5], 'the next seq');
    },
  },
  {
    promise: 'replace: with nothing the active segment is empty and the session goes on',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      equal(await backend.replace('a', []), []);
      equal(await backend.read('a', { segment: 'all' }), [], 'the messages');
      equal((await backend.meta('a'))?.messageCount, 0, 'messageCount');
      equal(seqs(await backend.append('a', [said('next')])), [3], 'the next seq');
    },
  },
  {
    promise: 'replace: earlier segments are not touched',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      await backend.reset('a');
      await backend.append('a', [said('three'), said('four')]);
      const earlier = await backend.read('a', { segment: 'all', before: 3 });
      await backend.replace('a', [said('new')]);
      equal(contents(await backend.read('a')), ['new'], 'the active messages');
      equal(await backend.read('a', { segment: 'all', before: 3 }), earlier, 'the earlier ones');
      equal((await backend.meta('a'))?.messageCount, 3, 'messageCount');
    },
  },
  {
    promise: 'replace: no id is in a session twice',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('early', { id: 'm' })]);
      await backend.reset('a');
      const answer = await backend.replace('a', [
        said('of an earlier segment', { id: 'm' }),
        said('one', { id: 'n' }),
        said('two', { id: 'n' }),
      ]);
      equal(seqs(answer), [2, 3, 4], 'the seqs');
      const all = await backend.read('a', { segment: 'all' });
      equal(contents(all), ['early', 'of an earlier segment', 'one', 'two'], 'the contents');
      equal(new Set(all.map(({ id }) => id)).size, 4, 'the number of different ids');
    },
  },
  {
    promise: 'replace: a message that was cut off may come back under its id',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('one', { id: 'm' }), said('two', { id: 'n' })]);
      await backend.replace('a', [said('one', { id: 'm' })]);
      equal(await backend.append('a', [said('two', { id: 'n' })]), [{ id: 'n', seq: 3, appended: true }]);
      const history = await backend.read('a');
      await backend.replace('a', []);
      const answer = await backend.replace('a', history);
      equal(
        answer.map(({ id }) => id),
        ['m', 'n'],
        'the ids',
      );
      equal(seqs(answer), [4, 5], 'the seqs');
    },
  },
  {
    promise: 'replace: one bad message and nothing changes',
    async show({ backend }) {
      await conversation(backend, 'a', 2);
      const bad = { role: 'narrator', content: 'x' } as unknown as Message;
      await changesNothing(backend, () =>
        refused(() => backend.replace('a', [said('new'), bad]), InvalidMessage, 'a'),
      );
    },
  },
];
