import { mainSessionKey } from '@x/session-scope';
import { InvalidKey } from '../errors.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { conversation } from './conversation.js';

const home = mainSessionKey('main');

export const aliases: readonly Case[] = [
  {
    promise: 'aliases: an alias leads to its session, in any case of letters',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['agent:main:direct:Ann', 'Σ-name'] });
      equal(await backend.resolve('agent:main:direct:ann'), 'a', 'the folded name');
      equal(await backend.resolve('AGENT:Main:direct:ANN'), 'a', 'the name in capitals');
      equal(await backend.resolve('σ-NAME'), 'a', 'a name in Greek');
      equal((await backend.meta('a'))?.aliases, ['agent:main:direct:ann', 'σ-name'], 'the recorded names');
    },
  },
  {
    promise: 'aliases: a key leads to itself, in other letters too where no alias claims them',
    async show({ backend }) {
      await conversation(backend, 'Key');
      await conversation(backend, 'lower');
      equal(await backend.resolve('Key'), 'Key', 'the key');
      equal(await backend.resolve('LOWER'), 'lower', 'the key in capitals');
      await backend.ensure('Key', { aliases: ['shout'] });
      equal(await backend.resolve('SHOUT'), 'Key', 'an alias in capitals');
    },
  },
  {
    promise: 'aliases: a live key goes before an alias of the same letters',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['b'] });
      equal(await backend.resolve('b'), 'a', 'before there is a session b');
      await conversation(backend, 'b');
      equal(await backend.resolve('b'), 'b', 'once there is');
    },
  },
  {
    promise: 'aliases: a name that nobody has leads nowhere',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['known'] });
      equal(await backend.resolve('unknown'), undefined);
      equal(await backend.resolve('agent:main:main'), undefined, 'a main alias without a main session');
      await refused(() => backend.resolve(''), InvalidKey);
    },
  },
  {
    promise: 'aliases: a second claim is refused with the owner, and the rest of the call goes through',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['taken'] });
      const { refused: no, meta } = await backend.ensure('b', {
        aliases: ['free', 'TAKEN', 'last'],
        title: 'b',
      });
      equal(no, [{ alias: 'taken', owner: 'a', reason: 'taken' }], 'what is refused');
      equal([meta.title, meta.aliases], ['b', ['free', 'last']], 'title and aliases');
      equal(await backend.resolve('taken'), 'a', 'where the name leads');
      equal(await backend.resolve('last'), 'b', 'where the last name leads');
    },
  },
  {
    promise: "aliases: a live session's key is nobody else's alias",
    async show({ backend }) {
      await conversation(backend, 'a');
      const { refused: no } = await backend.ensure('b', { aliases: ['a'] });
      equal(no, [{ alias: 'a', owner: 'a', reason: 'taken' }], 'what is refused');
      equal(await backend.resolve('a'), 'a', 'where the name leads');
    },
  },
  {
    promise: 'aliases: two that claim one name at once: one has it, the other is told who',
    async show({ backend }) {
      const keys = ['a', 'b', 'c', 'd'];
      const all = await Promise.all(keys.map((key) => backend.ensure(key, { aliases: ['shared'] })));
      const owner = await backend.resolve('shared');
      const winners = all.filter(({ refused: no }) => no.length === 0).map(({ meta }) => meta.key);
      equal(winners, [owner], 'who was not refused');
      for (const { refused: no, meta } of all) {
        if (meta.key !== owner)
          equal(no, [{ alias: 'shared', owner, reason: 'taken' }], `what ${meta.key} is told`);
      }
    },
  },
  {
    promise: 'aliases: a main alias is refused to every session but the main session of its agent',
    async show({ backend }) {
      const { refused: no, meta } = await backend.ensure('a', { aliases: ['agent:main:main', 'mine'] });
      equal(no, [{ alias: 'agent:main:main', owner: undefined, reason: 'main' }], 'what is refused');
      equal(meta.aliases, ['mine'], 'the recorded names');
      const other = await backend.ensure(mainSessionKey('sales'), { aliases: ['agent:main:main'] });
      equal(other.refused.length, 1, "what another agent's main session is refused");
      for (const agent of ['main', 'sales', 'two words', '-']) {
        const alias = `agent:${agent}:main`;
        const right = await backend.ensure(mainSessionKey(agent), { aliases: [alias.toUpperCase()] });
        equal(
          [right.refused, right.meta.aliases],
          [[], [alias]],
          `what the main session of ${agent} is given`,
        );
        await backend.delete(mainSessionKey(agent));
        await backend.purge(mainSessionKey(agent));
      }
    },
  },
  {
    promise: 'aliases: a main alias leads to the main session and to no other',
    async show({ backend }) {
      await conversation(backend, 'a');
      equal(await backend.resolve('agent:main:main'), undefined, 'before there is a main session');
      await backend.ensure(home);
      equal(await backend.resolve('agent:main:main'), home, 'once there is, even unclaimed');
      equal(await backend.resolve('Agent:MAIN:main'), home, 'in other letters');
      equal(await backend.resolve('agent:sales:main'), undefined, "another agent's");
      for (const agent of ['sales', 'two words']) {
        await backend.ensure(mainSessionKey(agent));
        for (const name of [`agent:${agent}:main`, ` AGENT:${agent.toUpperCase()}:Main `]) {
          equal(await backend.resolve(name), mainSessionKey(agent), `where ${name} leads`);
        }
      }
      await backend.delete(home);
      equal(await backend.resolve('agent:main:main'), undefined, 'once the main session is deleted');
    },
  },
  {
    promise: 'aliases: a deleted session leads nowhere and keeps its names, until it is purged',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['name'] });
      await backend.delete('a');
      equal(await backend.resolve('name'), undefined, 'where the alias leads');
      equal(await backend.resolve('a'), undefined, 'where the key leads');
      equal(
        (await backend.ensure('b', { aliases: ['name'] })).refused,
        [{ alias: 'name', owner: 'a', reason: 'taken' }],
        'what another session is refused',
      );
      await backend.restore('a');
      equal(await backend.resolve('name'), 'a', 'where the alias leads once restored');
      await backend.delete('a');
      await backend.purge('a');
      equal(
        (await backend.ensure('b', { aliases: ['name'] })).refused,
        [],
        'what is refused after the purge',
      );
      equal(await backend.resolve('name'), 'b', 'where the alias leads then');
    },
  },
];
