import { SessionNotFound } from '../errors.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { contents, conversation, range, said, seqs } from './conversation.js';

export const ordering: readonly Case[] = [
  {
    promise: 'order: calls for one session take effect in the order they were made',
    async show({ backend }) {
      const answers = await Promise.all([
        backend.ensure('a'),
        backend.append('a', [said('one')]),
        backend.read('a'),
        backend.append('a', [said('two')]),
        backend.setSummary('a', 'so far'),
        backend.append('a', [said('three')]),
        backend.truncate('a', { keepLast: 1 }),
        backend.read('a'),
        backend.append('a', [said('four')]),
        backend.meta('a'),
        backend.reset('a'),
        backend.append('a', [said('five')]),
        backend.archive('a'),
        backend.append('a', [said('six')]),
      ]);
      equal(contents(answers[2]), ['one'], 'what the first read sees');
      equal(
        [answers[4].summary, answers[4].messageCount],
        ['so far', 2],
        'summary and messageCount at setSummary',
      );
      equal(contents(answers[7]), ['three'], 'what the second read sees');
      equal(answers[9]?.messageCount, 4, 'messageCount at meta');
      equal(contents(await backend.read('a')), ['five', 'six'], 'the active messages at the end');
      equal(seqs(await backend.read('a', { segment: 'all' })), range(1, 6), 'all seqs');
      equal((await backend.meta('a'))?.archivedAt, undefined, 'archivedAt');
      await conversation(backend, 'old');
      await conversation(backend, 'new');
      await Promise.all([
        backend.append('old', [said('one')]),
        backend.append('old', [said('two')]),
        backend.promote('new', ['old']),
        refused(() => backend.append('old', [said('too late')]), SessionNotFound, 'old'),
      ]);
      equal(contents(await backend.read('new')), ['one', 'two'], 'what was said before the promotion');
    },
  },
  {
    promise: 'order: appends that wait together are stored each whole, in the order of the calls',
    async show({ backend }) {
      await conversation(backend, 'a');
      const calls = range(1, 300).map((number) =>
        backend.append('a', [said(`question ${number}`), said(`answer ${number}`)]),
      );
      const answers = await Promise.all(calls);
      equal(
        answers.map((answer) => seqs(answer)),
        range(1, 300).map((number) => [2 * number - 1, 2 * number]),
        'the seqs of the answers',
      );
      equal(
        contents(await backend.read('a')),
        range(1, 300).flatMap((number) => [`question ${number}`, `answer ${number}`]),
        'the contents',
      );
    },
  },
  {
    promise: 'order: a retry that waits behind its first try is not stored again',
    async show({ backend }) {
      await conversation(backend, 'a');
      const answers = await Promise.all(
        range(1, 5).map(() => backend.append('a', [said('once', { id: 'm' })])),
      );
      equal(
        answers.flat().map(({ seq, appended }) => [seq, appended]),
        [[1, true], ...range(2, 5).map(() => [1, false])],
      );
    },
  },
  {
    promise: 'order: a session that waits for the store does not hold up another',
    async show({ backend, intercept }) {
      await conversation(backend, 'slow');
      await conversation(backend, 'quick');
      let letGo = () => {};
      const door = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      intercept({
        async before({ method, names }) {
          if (method === 'transact' && names[0] === 'slow') await door;
        },
      });
      const ended: string[] = [];
      const ending = (key: string) => backend.append(key, [said('one')]).then(() => ended.push(key));
      const waiting = ending('slow');
      // A store that fails this would wait for ever.
      const giveUp = setTimeout(letGo, 3000);
      await ending('quick');
      clearTimeout(giveUp);
      letGo();
      await waiting;
      equal(ended, ['quick', 'slow'], 'which one ended first');
    },
  },
  {
    promise: 'order: promotions that cross each other come to an end',
    async show({ backend }) {
      await conversation(backend, 'old a', 1);
      await conversation(backend, 'old b', 1);
      await conversation(backend, 'a');
      await conversation(backend, 'b');
      const names = ['old a', 'old b'];
      const both = await Promise.all([
        backend.promote('a', names),
        backend.promote('b', [...names].reverse()),
        backend.ensure('a', { aliases: names }),
        backend.ensure('b', { aliases: [...names].reverse() }),
      ]);
      equal([both[0]?.from, both[1]?.from], ['old a', 'old b'], 'what was promoted');
    },
  },
];
