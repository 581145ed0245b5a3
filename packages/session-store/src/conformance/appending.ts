import { InvalidMessage, MessageTooLarge, SessionNotFound } from '../errors.js';
import type { Message } from '../message.js';
import type { Case } from './case.js';
import { equal, holds, present, refused } from './claim.js';
import {
  answered,
  changesNothing,
  contents,
  conversation,
  range,
  said,
  say,
  seqs,
  words,
} from './conversation.js';

/** A message with every field that has a name here, some that have none, and text of many kinds. */
export const wholeMessage = {
  id: 'whole',
  role: 'assistant',
  content: [
    { type: 'text', text: 'grüße, 日本語, 👩‍👩‍👧, "quotes" \\ and\nlines\u2028\u0001' },
    { type: 'image', url: 'https://example.org/a.png', mediaType: 'image/png', name: 'a.png' },
    { type: 'thing-of-another-program', depth: { of: ['it', 1, null] } },
  ],
  createdAt: '2025-05-05T05:05:05.005Z',
  media: ['media://1', ''],
  toolCalls: [{ id: 'call-1', name: 'search', arguments: '{"broken":', thoughtSignature: 'kept' }],
  toolCallId: 'call-0',
  toolName: 'search',
  modelName: 'model-1',
  reasoning: 'because',
  usage: { inputTokens: 1, outputTokens: 0, cachedTokens: 7 },
  meta: { origin: 'schedule', nested: { list: [1, 'two', null, false] }, empty: {} },
  unknownField: { 'of another': ['program', 0.1, -1e21] },
} as const;

export const appending: readonly Case[] = [
  {
    promise: 'append: messages come back as they were given, with every field, known or not',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [
        wholeMessage,
        said('plain', { id: 'plain', createdAt: '2025-01-01T00:00:00.000Z' }),
      ]);
      equal(await backend.read('a'), [
        { ...wholeMessage, seq: 1 },
        { role: 'user', content: 'plain', id: 'plain', createdAt: '2025-01-01T00:00:00.000Z', seq: 2 },
      ]);
    },
  },
  {
    promise: 'append: seqs count from 1 without a gap, in the order given',
    async show({ backend }) {
      await conversation(backend, 'a');
      const first = await backend.append('a', [said('word 1'), said('word 2')]);
      const second = await backend.append('a', [said('word 3')]);
      equal([...seqs(first), ...seqs(second)], [1, 2, 3], 'the seqs of the answers');
      const messages = await backend.read('a');
      equal(seqs(messages), [1, 2, 3], 'the seqs that are read');
      equal(contents(messages), words(1, 3), 'the contents');
    },
  },
  {
    promise: 'append: a message id already in the session is not stored again, and its old seq is the answer',
    async show(bench) {
      await conversation(bench.backend, 'a', 1);
      const first = await bench.backend.append('a', [said('once', { id: 'm' })]);
      equal(first, [{ id: 'm', seq: 2, appended: true }], 'the first answer');
      if (bench.capabilities.durable !== false) await bench.reopen();
      const { backend } = bench;
      const again = await backend.append('a', [said('once', { id: 'm' }), said('new', { id: 'n' })]);
      equal(
        again,
        [
          { id: 'm', seq: 2, appended: false },
          { id: 'n', seq: 3, appended: true },
        ],
        'the answer to the retry',
      );
      equal(contents(await backend.read('a')), ['word 1', 'once', 'new'], 'the contents');
    },
  },
  {
    promise: 'append: an id that comes twice in one call is stored once',
    async show({ backend }) {
      await conversation(backend, 'a');
      const both = await backend.append('a', [said('one', { id: 'm' }), said('two', { id: 'm' })]);
      equal(both, [
        { id: 'm', seq: 1, appended: true },
        { id: 'm', seq: 1, appended: false },
      ]);
      equal(contents(await backend.read('a')), ['one'], 'the contents');
    },
  },
  {
    promise: 'append: an id is remembered behind a truncation and a reset',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('old', { id: 'm' }), said('next', { id: 'n' })]);
      await backend.truncate('a', { keepLast: 1 });
      equal(await backend.append('a', [said('old', { id: 'm' })]), [{ id: 'm', seq: 1, appended: false }]);
      await backend.reset('a');
      equal(await backend.append('a', [said('next', { id: 'n' })]), [{ id: 'n', seq: 2, appended: false }]);
      equal(await backend.read('a'), [], 'the active messages');
    },
  },
  {
    promise: 'append: an id belongs to its session; another session may have the same',
    async show({ backend }) {
      await conversation(backend, 'a');
      await conversation(backend, 'b');
      await backend.append('a', [said('of a', { id: 'm' })]);
      equal(await backend.append('b', [said('of b', { id: 'm' })]), [{ id: 'm', seq: 1, appended: true }]);
      equal(contents(await backend.read('b')), ['of b'], 'the contents');
    },
  },
  {
    promise: 'append: a message without an id or a time is given both, the id its own',
    async show({ backend, now }) {
      await conversation(backend, 'a');
      const given = await backend.append('a', [said('one'), said('one')]);
      const messages = await backend.read('a');
      equal(new Set(given.map(({ id }) => id)).size, 2, 'the number of different ids');
      equal(
        messages.map(({ id }) => id),
        given.map(({ id }) => id),
        'the ids that are read',
      );
      equal(
        messages.map(({ createdAt }) => createdAt),
        [now(), now()],
        'the times',
      );
    },
  },
  {
    promise: 'append: times come out as ISO 8601 in UTC with milliseconds',
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('east', { createdAt: '2025-06-01T02:00:00+02:00' })]);
      equal((await backend.read('a'))[0]?.createdAt, '2025-06-01T00:00:00.000Z');
    },
  },
  {
    promise: 'append: the order is that of the seqs, whatever times the messages carry',
    async show({ backend }) {
      await conversation(backend, 'a');
      const times = ['9999-12-31T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
      for (const createdAt of times) await backend.append('a', [said(createdAt, { createdAt })]);
      equal(contents(await backend.read('a')), times);
    },
  },
  {
    promise: 'append: one bad message and nothing of its call is stored',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      const bad = [
        { role: 'narrator', content: 'x' },
        { role: 'user' },
        { role: 'user', content: 'x', createdAt: 'yesterday' },
        { role: 'user', content: 'x', id: '' },
        null,
      ] as unknown as Message[];
      await changesNothing(backend, async () => {
        for (const message of bad) {
          await refused(() => backend.append('a', [said('good'), message]), InvalidMessage, 'a');
        }
      });
    },
  },
  {
    promise:
      'append: a message over maxMessageBytes is refused with MessageTooLarge, and nothing of its call is stored',
    when: ({ maxMessageBytes }) => maxMessageBytes <= 32 * 1024 * 1024,
    async show({ backend, capabilities }) {
      await conversation(backend, 'a', 1);
      const tooLarge = said('é'.repeat(Math.ceil(capabilities.maxMessageBytes / 2)));
      await changesNothing(backend, () =>
        refused(() => backend.append('a', [said('small'), tooLarge]), MessageTooLarge, 'a'),
      );
    },
  },
  {
    promise: 'append: a message of maxMessageBytes is stored whole',
    when: ({ maxMessageBytes }) => maxMessageBytes <= 32 * 1024 * 1024,
    async show({ backend, capabilities }) {
      await conversation(backend, 'a');
      const message = said('', { id: 'm', createdAt: '2026-01-01T00:00:00.000Z' });
      const room = capabilities.maxMessageBytes - JSON.stringify(message).length;
      const content = 'x'.repeat(room);
      await backend.append('a', [{ ...message, content }, said('behind')]);
      const [large, behind] = await backend.read('a');
      holds(large?.content === content, 'its content is not what was given');
      equal(behind?.content, 'behind', 'the message behind it');
    },
  },
  {
    promise: 'append: a missing session is refused with SessionNotFound, and none is made',
    async show({ backend }) {
      await changesNothing(backend, () =>
        refused(() => backend.append('nobody', [said('x')]), SessionNotFound, 'nobody'),
      );
    },
  },
  {
    promise: 'append: no messages, no change',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 1);
      elapse(1000);
      await changesNothing(backend, async () => equal(await backend.append('a', []), []));
    },
  },
  {
    promise: 'append: a retry of what is there changes nothing',
    async show({ backend, elapse }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('x', { id: 'm' })]);
      elapse(1000);
      await changesNothing(backend, () => backend.append('a', [said('x', { id: 'm' })]));
    },
  },
  {
    promise: 'append: an archived session wakes',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await backend.archive('a');
      await say(backend, 'a', 1);
      equal((await backend.meta('a'))?.archivedAt, undefined, 'archivedAt');
      equal(
        (await backend.list()).sessions.map(({ key }) => key),
        ['a'],
        'the list',
      );
    },
  },
  {
    promise: 'append: counts, turns and times of the record follow the messages',
    async show({ backend, now, elapse }) {
      const prompt: Message = { role: 'system', content: 'you are', meta: { origin: 'agent-prompt' } };
      await backend.ensure('a');
      const created = now();
      elapse(1000);
      // The one that begins a segment is not injected again.
      await backend.append('a', [prompt, said('hello'), answered('hi')]);
      const spoken = now();
      elapse(1000);
      await backend.append('a', [said('tick', { meta: { origin: 'schedule' } }), prompt]);
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [
          meta.messageCount,
          meta.activeCount,
          meta.lastSeq,
          meta.cutoff,
          meta.userTurns,
          meta.promptInjections,
        ],
        [5, 5, 5, 0, 2, 1],
        'messageCount, activeCount, lastSeq, cutoff, userTurns, promptInjections',
      );
      equal(
        [meta.createdAt, meta.interactionAt, meta.segmentStartedAt, meta.activeAt, meta.updatedAt],
        [created, spoken, spoken, now(), now()],
        'createdAt, interactionAt, segmentStartedAt, activeAt, updatedAt',
      );
    },
  },
  {
    promise: 'append: the revision rises by the number of messages stored',
    async show({ backend }) {
      await conversation(backend, 'a');
      const { revision } = present(await backend.meta('a'), 'the record');
      await backend.append('a', [said('one', { id: 'm' }), said('two')]);
      await backend.append('a', [said('one', { id: 'm' }), said('three')]);
      equal((await backend.meta('a'))?.revision, revision + 3);
    },
  },
  {
    promise: 'append: what the caller does to a message afterwards does not reach the store',
    async show({ backend }) {
      await conversation(backend, 'a');
      const message = {
        role: 'user' as const,
        content: [{ type: 'text', text: 'as given', ofAnother: { n: 1 } }],
        meta: { n: 1 },
        unknownField: { n: 1 },
      };
      const given = structuredClone(message);
      const call = backend.append('a', [message]);
      message.content.push({ type: 'text', text: 'later', ofAnother: { n: 2 } });
      message.meta.n = 2;
      message.unknownField.n = 2;
      for (const part of message.content) part.ofAnother.n = 3;
      await call;
      message.unknownField.n = 4;
      const [stored] = await backend.read('a');
      equal(stored, { ...given, id: stored?.id, seq: 1, createdAt: stored?.createdAt }, 'what is stored');
    },
  },
  {
    promise: 'append: what JSON would lose or change is refused with InvalidMessage; undefined is absent',
    async show({ backend }) {
      await conversation(backend, 'a');
      const circle: { itself?: unknown } = {};
      circle.itself = circle;
      const lost = [
        1n,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        () => 1,
        Symbol('s'),
        new Date(0),
        new Map(),
        circle,
      ];
      await changesNothing(backend, async () => {
        for (const value of lost) {
          for (const where of [
            { unknownField: value },
            { unknownField: { deep: [value] } },
            { meta: { value } },
          ]) {
            const message = { ...said('x'), ...where } as Message;
            await refused(() => backend.append('a', [message]), InvalidMessage, 'a');
          }
        }
      });
      const named: Message = JSON.parse(
        '{"role":"user","content":"x","meta":{"__proto__":{"n":1}},"__proto__":2}',
      );
      const absent = {
        ...named,
        id: 'm',
        meta: { ...named.meta, absent: undefined },
        absent: undefined,
      } as object as Message;
      await backend.append('a', [absent]);
      const [stored] = await backend.read('a');
      equal(JSON.stringify(stored?.meta), '{"__proto__":{"n":1}}', 'a member called __proto__');
      equal(Object.hasOwn(present(stored, 'the message'), 'absent'), false, 'whether undefined is a member');
    },
  },
  {
    promise: 'append: a thousand messages in one call are stored in order',
    async show({ backend }) {
      await conversation(backend, 'a', 1000);
      equal(contents(await backend.read('a')), words(1, 1000), 'the contents');
      equal(seqs(await backend.read('a', { after: 990 })), range(991, 1000), 'the last seqs');
    },
  },
];
