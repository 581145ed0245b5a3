import { mainSessionKey, type SessionScope } from '@x/session-scope';
import type { SessionBackend } from '../backend.js';
import { SessionNotFound } from '../errors.js';
import type { Case } from './case.js';
import { equal, holds, present, refused } from './claim.js';
import { changesNothing, contents, conversation, said, say, seqs, words } from './conversation.js';

const home = mainSessionKey('main');
const oldName = 'agent:main:direct:ann';
const scope: SessionScope = {
  version: 1,
  agentId: 'support',
  channel: 'web',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:ann' },
};

export const promoting: readonly Case[] = [
  {
    promise:
      'promote: the history of an older name moves into the empty session, seqs, ids, times and summary as they were',
    async show({ backend, elapse }) {
      await conversation(backend, oldName, 3);
      await backend.truncate(oldName, { keepLast: 2, summary: 'so far' });
      const before = await backend.read(oldName, { segment: 'all' });
      elapse(1000);
      await conversation(backend, 'a');
      equal(await backend.promote('a', [oldName]), { from: oldName, messages: 3 }, 'the answer');
      equal(await backend.read('a', { segment: 'all' }), before, 'the messages');
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.messageCount, meta.activeCount, meta.lastSeq, meta.cutoff, meta.summary, meta.userTurns],
        [3, 2, 3, 1, 'so far', 3],
        'messageCount, activeCount, lastSeq, cutoff, summary, userTurns',
      );
      equal(seqs(await backend.append('a', [said('next')])), [4], 'the next seq');
    },
  },
  {
    promise: 'promote: the emptied session is gone and its names lead to the new one',
    async show({ backend }) {
      await backend.ensure(oldName, { aliases: ['nickname'] });
      await say(backend, oldName, 1);
      await conversation(backend, 'a');
      await backend.promote('a', [oldName]);
      equal(await backend.meta(oldName), undefined, 'the record of the old session');
      equal(await backend.resolve(oldName), 'a', 'where the old key leads');
      equal(await backend.resolve('nickname'), 'a', 'where its alias leads');
      equal((await backend.meta('a'))?.aliases, [oldName, 'nickname'], 'the recorded names');
      equal(await listedKeys(backend), ['a'], 'the sessions');
    },
  },
  {
    promise: 'promote: a history is promoted once, whoever asks again',
    async show({ backend }) {
      await conversation(backend, oldName, 1);
      await conversation(backend, 'a');
      await conversation(backend, 'b');
      const both = await Promise.all([backend.promote('a', [oldName]), backend.promote('b', [oldName])]);
      equal(both, [{ from: oldName, messages: 1 }, undefined], 'the answers to two at once');
      equal(await backend.promote('a', [oldName]), undefined, 'the answer to a second call');
      equal(
        [contents(await backend.read('a')), contents(await backend.read('b'))],
        [['word 1'], []],
        'the messages',
      );
    },
  },
  {
    promise: 'promote: never into a session that has had a message or a summary',
    async show({ backend }) {
      await conversation(backend, oldName, 2);
      await conversation(backend, 'spoken', 1);
      await conversation(backend, 'cleared', 1);
      await backend.clear('cleared');
      await conversation(backend, 'summed');
      await backend.setSummary('summed', 'something');
      await changesNothing(backend, async () => {
        for (const key of ['spoken', 'cleared', 'summed']) {
          equal(await backend.promote(key, [oldName]), undefined, `the answer for ${key}`);
        }
      });
    },
  },
  {
    promise: 'promote: empty, missing and deleted sessions are passed over for the next with content',
    async show({ backend }) {
      await conversation(backend, 'empty');
      await conversation(backend, 'deleted', 1);
      await backend.delete('deleted');
      await conversation(backend, 'full', 2);
      await conversation(backend, 'later', 3);
      await conversation(backend, 'a');
      equal(await backend.promote('a', ['empty', 'missing', 'deleted', 'a', 'full', 'later']), {
        from: 'full',
        messages: 2,
      });
      equal(contents(await backend.read('a')), words(1, 2), 'the messages');
      equal(contents(await backend.read('later')), words(1, 3), 'the messages of the other');
      equal((await backend.restore('deleted')).messageCount, 1, 'what was deleted');
    },
  },
  {
    promise: 'promote: a session with nothing but a summary has content',
    async show({ backend }) {
      await conversation(backend, oldName);
      await backend.setSummary(oldName, 'so far');
      await conversation(backend, 'a');
      equal(await backend.promote('a', [oldName]), { from: oldName, messages: 0 });
      equal((await backend.meta('a'))?.summary, 'so far', 'the summary');
    },
  },
  {
    promise: 'promote: a name in other letters finds the session',
    async show({ backend }) {
      await conversation(backend, oldName, 1);
      await conversation(backend, 'a');
      equal(await backend.promote('a', ['Agent:Main:direct:ANN']), { from: oldName, messages: 1 });
    },
  },
  {
    promise: "promote: a main session's history moves into no other session, under either of its names",
    async show({ backend }) {
      await conversation(backend, 'agent:main:main', 1);
      await conversation(backend, home, 2);
      await conversation(backend, 'agent:sales:main', 1);
      await conversation(backend, mainSessionKey('sales'), 1);
      await conversation(backend, 'a');
      await changesNothing(backend, async () => {
        equal(await backend.promote('a', ['agent:main:main']), undefined, 'by its plain name');
        equal(await backend.promote('a', ['agent:main:main', home]), undefined, 'by its opaque name');
        equal(
          await backend.promote('a', ['agent:sales:main', mainSessionKey('sales')]),
          undefined,
          "another agent's",
        );
      });
    },
  },
  {
    promise: 'promote: a main session under its plain name moves home',
    async show({ backend }) {
      for (const agent of ['main', 'sales', 'two words']) {
        const plain = `agent:${agent}:main`;
        const own = mainSessionKey(agent);
        await conversation(backend, plain, 2);
        await conversation(backend, own);
        equal(await backend.promote(own, [plain.toUpperCase()]), { from: plain, messages: 2 });
        equal(contents(await backend.read(own)), words(1, 2), 'the messages');
        equal(await backend.resolve(plain), own, 'where the main alias leads');
      }
    },
  },
  {
    promise: 'promote: what the new session knows of itself stays',
    async show({ backend }) {
      await backend.ensure(oldName, {
        title: 'old',
        channel: 'slack',
        scope: { ...scope, channel: 'slack' },
        attributes: { colour: 'red', old: true },
      });
      await say(backend, oldName, 1);
      await backend.ensure('a', {
        title: 'new',
        agentId: 'support',
        channel: 'web',
        scope,
        aliases: ['mine'],
        attributes: { colour: 'blue' },
      });
      const before = present(await backend.meta(oldName), 'the old record').revision;
      await backend.promote('a', [oldName]);
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.title, meta.agentId, meta.channel, meta.scope, meta.attributes, meta.aliases],
        ['new', 'support', 'web', scope, { colour: 'blue', old: true }, ['mine', oldName]],
        'title, agentId, channel, scope, attributes, aliases',
      );
      holds(meta.revision > before, `the revision went from ${before} to ${meta.revision}`);
    },
  },
  {
    promise: 'promote: into a missing session is refused with SessionNotFound',
    async show({ backend }) {
      await conversation(backend, oldName, 1);
      await changesNothing(backend, () =>
        refused(() => backend.promote('nobody', [oldName]), SessionNotFound, 'nobody'),
      );
    },
  },
];

async function listedKeys(backend: SessionBackend): Promise<readonly string[]> {
  return (await backend.list()).sessions.map(({ key }) => key);
}
