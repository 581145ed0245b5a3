import type { ListQuery, SessionBackend } from '../backend.js';
import { Unsupported } from '../errors.js';
import type { Bench } from './bench.js';
import type { Case } from './case.js';
import { equal, holds, refused } from './claim.js';
import { conversation, range, say } from './conversation.js';
import { listed } from './snapshot.js';

async function keys(backend: SessionBackend, query: ListQuery = {}): Promise<readonly string[]> {
  return (await listed(backend, query)).map(({ key }) => key);
}

/** Sessions `s1`, `s2` … one second apart, the last the newest. */
async function sessions({ backend, elapse }: Bench, count: number): Promise<void> {
  for (const number of range(1, count)) {
    await conversation(backend, `s${number}`);
    elapse(1000);
  }
}

export const listing: readonly Case[] = [
  {
    promise: 'list: newest activity first, equal times by key',
    async show(bench) {
      const { backend } = bench;
      await sessions(bench, 3);
      for (const key of ['y', 'x', 'Z', 'ä', 'a']) await conversation(backend, key);
      equal(await keys(backend), ['Z', 'a', 'x', 'y', 'ä', 's3', 's2', 's1'], 'the order at first');
      bench.elapse(1000);
      await say(backend, 's1', 1);
      equal((await keys(backend))[0], 's1', 'the first after a message in s1');
    },
  },
  {
    promise: 'list: only a message is activity, no other change moves a session',
    async show(bench) {
      const { backend } = bench;
      await sessions(bench, 3);
      await backend.setSummary('s1', 'so far');
      await backend.rename('s1', 'title');
      await backend.ensure('s1', { attributes: { pinned: true } });
      await backend.reset('s1');
      equal(await keys(backend), ['s3', 's2', 's1']);
    },
  },
  {
    promise: 'list: the cursor of a page gives the next, until all were given once',
    async show(bench) {
      const { backend } = bench;
      await sessions(bench, 7);
      await conversation(backend, 's8');
      await conversation(backend, 's9');
      const all = ['s8', 's9', 's7', 's6', 's5', 's4', 's3', 's2', 's1'];
      for (const limit of [1, 2, 3, 9, 10])
        equal(await keys(backend, { limit }), all, `all, ${limit} a page`);
      const page = await backend.list({ limit: 9 });
      equal([page.sessions.length, page.nextCursor], [9, undefined], 'the last page and its cursor');
    },
  },
  {
    promise: 'list: a cursor holds whatever is written meanwhile: nothing twice, nothing untouched left out',
    async show(bench) {
      const { backend } = bench;
      await sessions(bench, 6);
      const first = await backend.list({ limit: 2 });
      await say(backend, 's2', 1);
      await backend.delete('s5');
      await conversation(backend, 'new');
      const seen = first.sessions.map(({ key }) => key);
      let cursor = first.nextCursor;
      while (cursor !== undefined) {
        const page = await backend.list({ limit: 2 }, cursor);
        seen.push(...page.sessions.map(({ key }) => key));
        cursor = page.nextCursor;
      }
      equal(seen, ['s6', 's5', 's4', 's3', 's1']);
    },
  },
  {
    promise: 'list: filters by channel, by agent and by part of the title in any case',
    async show({ backend }) {
      await backend.ensure('a', { channel: 'web', agentId: 'main', title: 'Holiday in Zürich' });
      await backend.ensure('b', { channel: 'web', agentId: 'sales', title: '100% _done_' });
      await backend.ensure('c', { channel: 'slack', agentId: 'sales' });
      equal(await keys(backend, { channel: 'web' }), ['a', 'b'], 'the channel web');
      equal(await keys(backend, { agentId: 'sales' }), ['b', 'c'], 'the agent sales');
      equal(await keys(backend, { channel: 'web', agentId: 'sales' }), ['b'], 'both');
      equal(await keys(backend, { text: 'HOLIDAY in zÜrich' }), ['a'], 'the title in other letters');
      equal(await keys(backend, { text: '%' }), ['b'], 'a percent sign');
      equal(await keys(backend, { text: '_d' }), ['b'], 'an underscore');
      equal(await keys(backend, { text: '' }), ['a', 'b', 'c'], 'no text');
      equal(await keys(backend, { channel: 'telegram' }), [], 'a channel that nobody has');
    },
  },
  {
    promise: 'list: archived sessions are left out, put in, or alone, as asked',
    async show({ backend }) {
      await conversation(backend, 'a');
      await conversation(backend, 'b');
      await backend.archive('b');
      equal(await keys(backend), ['a'], 'by default');
      equal(await keys(backend, { archived: 'exclude' }), ['a'], 'exclude');
      equal(await keys(backend, { archived: 'include' }), ['a', 'b'], 'include');
      equal(await keys(backend, { archived: 'only' }), ['b'], 'only');
    },
  },
  {
    promise: 'list: deleted shows what is deleted, wholly or in part, and nothing else does',
    async show({ backend }) {
      for (const key of ['alive', 'gone', 'half']) await conversation(backend, key, 1);
      await backend.archive('gone');
      await backend.delete('gone');
      await backend.delete('half');
      await backend.ensure('half');
      equal(await keys(backend), ['alive', 'half'], 'by default');
      equal(await keys(backend, { archived: 'include' }), ['alive', 'half'], 'with archived ones');
      equal(await keys(backend, { deleted: true }), ['gone', 'half'], 'deleted, archived or not');
    },
  },
  {
    promise: 'list: a page holds 50 unless said otherwise',
    async show(bench) {
      await sessions(bench, 51);
      const page = await bench.backend.list();
      equal(page.sessions.length, 50, 'the sessions of a page');
      holds(page.nextCursor !== undefined, 'the page of 50 of 51 has no cursor');
    },
  },
  {
    promise: 'list: a page costs a page, not the store',
    async show(bench) {
      await sessions(bench, 20);
      const limits: number[] = [];
      bench.intercept({
        before({ method, limit }) {
          if (method === 'page' && limit !== undefined) limits.push(limit);
        },
      });
      await bench.backend.list({ limit: 2 });
      holds(
        limits.length === 1 && limits.every((limit) => limit <= 3),
        `it asked the driver for ${limits} sessions`,
      );
    },
  },
  {
    promise: 'list: a limit or cursor that cannot be is refused with Unsupported',
    async show(bench) {
      await sessions(bench, 2);
      for (const limit of [0, -1, 1.5, 1001]) await refused(() => bench.backend.list({ limit }), Unsupported);
      for (const cursor of ['nonsense', '!', ''])
        await refused(() => bench.backend.list({}, cursor), Unsupported);
    },
  },
  {
    promise: 'list: shows the records as meta does',
    async show({ backend }) {
      await backend.ensure('a', { title: 'title', aliases: ['name'], attributes: { pinned: true } });
      await say(backend, 'a', 2);
      equal((await backend.list()).sessions, [await backend.meta('a')]);
    },
  },
];
