import type { SearchQuery, SessionBackend } from '../backend.js';
import { Unsupported } from '../errors.js';
import type { Case } from './case.js';
import { equal, holds, refused } from './claim.js';
import { answered, conversation, range, said } from './conversation.js';

/** Hits of all pages, as `key:seq`, sorted. */
async function found(
  backend: SessionBackend,
  text: string,
  query: SearchQuery = {},
): Promise<readonly string[]> {
  const hits: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await backend.search(text, query, cursor);
    hits.push(...page.hits.map(({ key, message }) => `${key}:${message.seq}`));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hits.sort();
}

const searches: Case['when'] = ({ search }) => search;

export const searching: readonly Case[] = [
  {
    promise: 'search: where the capabilities say no, it is refused with Unsupported',
    when: ({ search }) => !search,
    async show({ backend }) {
      await refused(() => backend.search('anything'), Unsupported);
    },
  },
  {
    promise: 'search: finds the messages with a word, in any case of letters, with a snippet around it',
    when: searches,
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('the Umbrella is red'), answered('nothing here')]);
      await conversation(backend, 'b');
      await backend.append('b', [said([{ type: 'text', text: 'umbrella stand' }] as never)]);
      equal(await found(backend, 'umbrella'), ['a:1', 'b:1'], 'the hits');
      const { hits } = await backend.search('UMBRELLA', { key: 'a' });
      equal(
        hits.map(({ key, message }) => [key, message]),
        [['a', (await backend.read('a'))[0]]],
        'the hit in other letters',
      );
      holds(
        hits.every(({ snippet }) => snippet.toLowerCase().includes('umbrella')),
        'a snippet does not show what was looked for',
      );
      equal(await found(backend, 'parasol'), [], 'the hits of a word that nobody said');
    },
  },
  {
    promise: 'search: marks and operators in the text are text',
    when: searches,
    async show({ backend }) {
      await conversation(backend, 'a');
      const texts = ['100% sure', 'one AND two', 'say "quoted" words', "it's fine", 'star* -minus NEAR(x)'];
      await backend.append(
        'a',
        texts.map((text) => said(text)),
      );
      for (const [index, text] of texts.entries()) {
        holds((await found(backend, text)).includes(`a:${index + 1}`), `"${text}" was not found`);
      }
    },
  },
  {
    promise: 'search: filters by session, channel, agent, role and time',
    when: searches,
    async show({ backend }) {
      await backend.ensure('a', { channel: 'web', agentId: 'main' });
      await backend.ensure('b', { channel: 'slack', agentId: 'sales' });
      await backend.append('a', [
        said('needle', { createdAt: '2025-01-01T00:00:00.000Z' }),
        answered('needle', { createdAt: '2025-02-01T00:00:00.000Z' }),
      ]);
      await backend.append('b', [said('needle', { createdAt: '2025-03-01T00:00:00.000Z' })]);
      equal(await found(backend, 'needle'), ['a:1', 'a:2', 'b:1'], 'without a filter');
      equal(await found(backend, 'needle', { key: 'b' }), ['b:1'], 'by session');
      equal(await found(backend, 'needle', { channel: 'web' }), ['a:1', 'a:2'], 'by channel');
      equal(await found(backend, 'needle', { agentId: 'sales' }), ['b:1'], 'by agent');
      equal(await found(backend, 'needle', { role: 'assistant' }), ['a:2'], 'by role');
      equal(await found(backend, 'needle', { since: '2025-02-01T00:00:00.000Z' }), ['a:2', 'b:1'], 'since');
      equal(await found(backend, 'needle', { until: '2025-02-01T00:00:00.000Z' }), ['a:1', 'a:2'], 'until');
    },
  },
  {
    promise: 'search: looks at the active segment unless asked for all',
    when: searches,
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append('a', [said('needle one'), said('needle two')]);
      await backend.truncate('a', { keepLast: 1 });
      equal(await found(backend, 'needle'), ['a:2'], 'by default');
      equal(await found(backend, 'needle', { segment: 'all' }), ['a:1', 'a:2'], 'all');
    },
  },
  {
    promise: 'search: finds nothing that is deleted, in a bin, cleared or replaced',
    when: searches,
    async show({ backend }) {
      for (const key of ['deleted', 'binned', 'cleared', 'replaced', 'purged']) {
        await conversation(backend, key);
        await backend.append(key, [said('needle')]);
      }
      await backend.delete('deleted');
      await backend.delete('binned');
      await backend.ensure('binned');
      await backend.clear('cleared');
      await backend.replace('replaced', [said('thread')]);
      await backend.delete('purged');
      await backend.purge('purged');
      equal(await found(backend, 'needle', { segment: 'all' }), []);
      await backend.restore('deleted');
      equal(
        await found(backend, 'needle', { segment: 'all' }),
        ['deleted:1'],
        'the hits once it is restored',
      );
    },
  },
  {
    promise: 'search: the cursor of a page gives the next, until all were given once',
    when: searches,
    async show({ backend }) {
      await conversation(backend, 'a');
      await backend.append(
        'a',
        range(1, 7).map((number) => said(`needle ${number}`)),
      );
      const all = range(1, 7).map((seq) => `a:${seq}`);
      for (const limit of [1, 3, 7, 8])
        equal(await found(backend, 'needle', { limit }), all, `all, ${limit} a page`);
      equal((await backend.search('needle', { limit: 3 })).hits.length, 3, 'the hits of a page');
    },
  },
];
