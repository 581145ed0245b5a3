import type { SessionScope } from '@x/session-scope';
import { Unsupported } from '../errors.js';
import type { SessionFacts } from '../session-meta.js';
import type { Case } from './case.js';
import { equal, present, refused } from './claim.js';
import { changesNothing, contents, conversation, said, seqs } from './conversation.js';

const scope: SessionScope = {
  version: 1,
  agentId: 'support',
  channel: 'telegram',
  account: 'default',
  dimensions: ['chat', 'sender'],
  values: { chat: 'group:-100', sender: 'ann' },
};

export const ensuring: readonly Case[] = [
  {
    promise: 'ensure: a session is created with what is known of it',
    async show({ backend, now }) {
      const { meta, created, refused } = await backend.ensure('a', {
        scope,
        aliases: ['agent:support:telegram:group:-100'],
        title: 'Ann in the group',
        agentId: 'other',
        channel: 'web',
        attributes: { pinned: true, nested: { list: [1, null] } },
      });
      equal([created, refused], [true, []], 'created and refused');
      equal(await backend.meta('a'), meta, 'the record that is read');
      const { revision: _any, ...rest } = meta;
      equal(rest, {
        key: 'a',
        agentId: 'other',
        channel: 'web',
        title: 'Ann in the group',
        scope,
        aliases: ['agent:support:telegram:group:-100'],
        summary: '',
        createdAt: now(),
        updatedAt: now(),
        activeAt: now(),
        messageCount: 0,
        activeCount: 0,
        lastSeq: 0,
        cutoff: 0,
        userTurns: 0,
        promptInjections: 0,
        segments: [],
        attributes: { pinned: true, nested: { list: [1, null] } },
      });
    },
  },
  {
    promise:
      'ensure: agent and channel are those of the scope, else those that the key tells, else main and unknown',
    async show({ backend }) {
      const of = async (key: string, facts = {}) => {
        await backend.ensure(key, facts);
        const meta = await backend.meta(key);
        return [meta?.agentId, meta?.channel];
      };
      equal(await of('a', { scope }), ['support', 'telegram'], 'with a scope');
      equal(await of('agent:sales:slack:channel:c1'), ['sales', 'slack'], 'with a telling key');
      equal(await of('plain'), ['main', 'unknown'], 'with neither');
    },
  },
  {
    promise: 'ensure: again with nothing new changes nothing',
    async show({ backend, elapse }) {
      const facts = { scope, aliases: ['other-name'], title: 'title', attributes: { pinned: true } };
      await backend.ensure('a', facts);
      elapse(1000);
      await changesNothing(backend, async () => {
        const again = await backend.ensure('a', facts);
        equal([again.created, again.refused], [false, []], 'created and refused');
        await backend.ensure('a');
      });
    },
  },
  {
    promise: 'ensure: what is new is merged, a title only where there is none, null removes an attribute',
    async show({ backend, elapse, now }) {
      await backend.ensure('a', { aliases: ['one'], attributes: { pinned: true, model: 'small' } });
      elapse(1000);
      const facts = { scope, aliases: ['two'], title: 'first', attributes: { pinned: null, colour: 'red' } };
      const { meta, created } = await backend.ensure('a', facts);
      equal(created, false, 'created');
      equal(
        [meta.title, meta.aliases, meta.attributes, meta.scope, meta.agentId, meta.updatedAt],
        ['first', ['one', 'two'], { model: 'small', colour: 'red' }, scope, 'support', now()],
        'title, aliases, attributes, scope, agentId, updatedAt',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      const later = await backend.ensure('a', { title: 'second' });
      equal(later.meta.title, 'first', 'the title after a second one was given');
    },
  },
  {
    promise: 'ensure: merging does not touch messages, counts or activity',
    async show({ backend, elapse }) {
      await conversation(backend, 'a', 3);
      await backend.truncate('a', { keepLast: 1, summary: 'so far' });
      const before = present(await backend.meta('a'), 'the record');
      elapse(1000);
      await backend.ensure('a', { title: 'title' });
      const meta = present(await backend.meta('a'), 'the record afterwards');
      equal(
        [meta.messageCount, meta.activeCount, meta.cutoff, meta.lastSeq, meta.summary, meta.activeAt],
        [3, 1, 2, 3, 'so far', before.activeAt],
        'messageCount, activeCount, cutoff, lastSeq, summary, activeAt',
      );
      equal(seqs(await backend.read('a', { segment: 'all' })), [1, 2, 3], 'the messages');
    },
  },
  {
    promise: 'ensure: many at once create one session',
    async show({ backend }) {
      const all = await Promise.all(
        Array.from({ length: 20 }, () => backend.ensure('a', { title: 'title' })),
      );
      equal(all.filter(({ created }) => created).length, 1, 'how many say that they created it');
      equal((await backend.list()).sessions.length, 1, 'the number of sessions');
    },
  },
  {
    promise: 'ensure: a deleted session begins anew, what was deleted stays in its bin, and seqs go on',
    async show({ backend, now, elapse }) {
      await backend.ensure('a', { title: 'old', attributes: { pinned: true } });
      await backend.append('a', [said('old 1'), said('old 2')]);
      await backend.setSummary('a', 'old summary');
      await backend.archive('a');
      await backend.delete('a');
      const deletedAt = now();
      elapse(1000);
      const { meta, created } = await backend.ensure('a', { title: 'new' });
      equal(created, true, 'created');
      equal(
        [
          meta.title,
          meta.summary,
          meta.messageCount,
          meta.activeCount,
          meta.userTurns,
          meta.attributes,
          meta.segments,
          meta.archivedAt,
        ],
        ['new', '', 0, 0, 0, {}, [], undefined],
        'title, summary, messageCount, activeCount, userTurns, attributes, segments, archivedAt',
      );
      equal(meta.createdAt, now(), 'createdAt');
      equal(
        meta.bin,
        {
          throughSeq: 2,
          count: 2,
          deletedAt,
          title: 'old',
          segments: [{ lastSeq: 2, endedAt: deletedAt, reason: 'deleted', summary: 'old summary' }],
          attributes: { pinned: true },
        },
        'the bin',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(seqs(await backend.append('a', [said('new 1')])), [3], 'the next seq');
      equal(contents(await backend.read('a', { segment: 'all' })), ['new 1'], 'what is read');
    },
  },
  {
    promise:
      'ensure: facts that are no text or no JSON are refused with Unsupported, and so are titles and summaries',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      const wrong = [
        { attributes: { n: Number.NaN } },
        { attributes: { run: () => 1 } },
        { attributes: { at: new Date(0) } },
        { title: 5 },
        { channel: null },
        { aliases: [5] },
        { aliases: 'name' },
      ] as unknown as readonly SessionFacts[];
      await changesNothing(backend, async () => {
        for (const facts of wrong) {
          for (const key of ['a', 'new']) await refused(() => backend.ensure(key, facts), Unsupported, key);
        }
        const none = undefined as unknown as string;
        await refused(() => backend.setSummary('a', none), Unsupported, 'a');
        await refused(() => backend.rename('a', none), Unsupported, 'a');
      });
      const attributes = { n: { m: 1 } };
      const call = backend.ensure('b', { attributes });
      attributes.n.m = 2;
      await call;
      attributes.n.m = 3;
      equal((await backend.meta('b'))?.attributes, { n: { m: 1 } }, 'what is stored');
    },
  },
];
