import { join } from 'node:path';
import { createMemoryBackend, type SearchQuery, type SessionBackend } from '@x/session-store';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createSqliteBackend } from './index.js';

async function found(store: SessionBackend, text: string, query: SearchQuery): Promise<readonly string[]> {
  const hits: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.search(text, { limit: 3, ...query }, cursor);
    hits.push(...page.hits.map(({ key, message }) => `${key}:${message.seq}`));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hits.sort();
}

it('finds what a pass over all messages finds, right after every operation', async () => {
  const key = fc.constantFrom('a', 'b');
  // Few letters, so that texts contain each other; some that fold, some beyond one unit, some an operator of FTS5.
  const text = fc
    .array(fc.constantFrom('a', 'b', 'B', 'ä', 'İ', 'Σ', '日', '本', '👩', '"', '*', ' ', '\u0000', '\n'), {
      maxLength: 8,
    })
    .map((letters) => letters.join(''));
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        key,
        texts: fc.array(text, { maxLength: 3 }),
      }),
    },
    fc.record({ do: fc.constant('replace' as const), key, texts: fc.array(text, { maxLength: 2 }) }),
    fc.record({
      do: fc.constantFrom('reset', 'compact', 'clear', 'delete', 'purge', 'restore', 'ensure'),
      key,
    }),
    fc.record({ do: fc.constant('truncate' as const), key, keepLast: fc.nat(3) }),
    fc.record({ do: fc.constant('promote' as const), key }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), text, async (program, needle) => {
      const stores = [await createSqliteBackend({ file: ':memory:' }), createMemoryBackend()] as const;
      for (const each of program) {
        for (const store of stores) {
          const messages =
            'texts' in each ? each.texts.map((content) => ({ role: 'user' as const, content })) : [];
          await store.ensure('a').catch(() => {});
          try {
            if (each.do === 'append' || each.do === 'replace') await store[each.do](each.key, messages);
            else if (each.do === 'truncate') await store.truncate(each.key, { keepLast: each.keepLast });
            else if (each.do === 'promote') await store.promote(each.key, ['a', 'b']);
            else await store[each.do as 'reset'](each.key);
          } catch {
            // Refused by both: the model of the kit compares refusals.
          }
        }
        for (const segment of ['active', 'all'] as const) {
          for (const words of [needle, [...needle].slice(0, 1).join('')]) {
            const [actual, expected] = await Promise.all(
              stores.map((store) => found(store, words, { segment })),
            );
            expect(actual).toEqual(expected);
          }
        }
      }
      for (const store of stores) await store.close();
    }),
    { numRuns: 60 },
  );
});

it('leaves nothing in the index of what was purged, cleared, compacted or replaced, from that very step on', async () => {
  const key = fc.constantFrom('a', 'b');
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        key,
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('search' as const), key }) },
    fc.record({ do: fc.constant('replace' as const), key, count: fc.nat(2) }),
    fc.record({ do: fc.constantFrom('compact', 'clear', 'delete', 'purge', 'restore', 'reset'), key }),
  );
  const path = join(await tempFolder(), 'index.db');
  const store = await createSqliteBackend({ file: path, synchronous: 'normal' });
  const other = new Database(path, { readonly: true });
  const left = other
    .prepare<[], number>(
      `SELECT count(*) FROM message_search f WHERE NOT EXISTS (
         SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id
         WHERE s.number = f.rowid >> 31 AND m.seq = f.rowid & ${2 ** 31 - 1})`,
    )
    .pluck();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (program) => {
      for (const each of program) {
        await store.ensure(each.key).catch(() => {});
        const messages = Array.from({ length: 'count' in each ? each.count : 0 }, (_, index) => ({
          role: 'user' as const,
          content: `parsnip ${index}`,
        }));
        // Refusals are the model's affair.
        if (each.do === 'search') await store.search('parsnip');
        else if (each.do === 'append' || each.do === 'replace')
          await store[each.do](each.key, messages).catch(() => {});
        else await store[each.do as 'reset'](each.key).catch(() => {});
        expect(left.get()).toBe(0);
      }
    }),
  );
  other.close();
  await store.close();
});

it('finds words of languages without spaces, and shows them', async () => {
  const store = await createSqliteBackend({ file: ':memory:' });
  await store.ensure('a');
  await store.append('a', [
    { role: 'user', content: '明日の会議は午後三時からです' },
    { role: 'user', content: 'การประชุมพรุ่งนี้' },
  ]);
  for (const [words, seq] of [
    ['午後三時', 1],
    ['会議', 1],
    ['ประชุม', 2],
  ] as const) {
    const { hits } = await store.search(words);
    expect(hits.map(({ message }) => message.seq)).toEqual([seq]);
    expect(hits[0]?.snippet).toContain(words);
  }
  await store.close();
});

it('finds words behind a NUL', async () => {
  const store = await createSqliteBackend({ file: ':memory:' });
  await store.ensure('a');
  await store.append('a', [{ role: 'user', content: '日\u0000本B and more' }]);
  for (const words of ['\u0000本b', '本b and', 'more', '日\u0000']) {
    expect((await store.search(words)).hits.map(({ message }) => message.seq)).toEqual([1]);
  }
  await store.close();
});

it('shows the message first of which the text is the larger part', async () => {
  const store = await createSqliteBackend({ file: ':memory:' });
  await store.ensure('a');
  await store.append('a', [
    { role: 'user', content: `the umbrella, and then ${'something else '.repeat(40)}` },
    { role: 'user', content: 'umbrella' },
    ...Array.from({ length: 20 }, () => ({ role: 'user' as const, content: 'nothing of the kind' })),
  ]);
  expect((await store.search('umbrella')).hits.map(({ message }) => message.seq)).toEqual([2, 1]);
  await store.close();
});

it('finds what was stored by a store that was closed before its index was done', async () => {
  const file = join(await tempFolder(), 'behind.db');
  const writer = await createSqliteBackend({ file, synchronous: 'normal' });
  await writer.ensure('a');
  await writer.append(
    'a',
    Array.from({ length: 3000 }, (_, index) => ({
      role: 'user' as const,
      content: `parcel ${index} ${'x'.repeat(300)}`,
    })),
  );
  await writer.close();
  const reader = await createSqliteBackend({ file });
  expect((await reader.search('parcel 2999')).hits).toHaveLength(1);
  expect((await reader.search('parcel', { limit: 1000 })).hits).toHaveLength(1000);
  await reader.close();
});

it('refuses a cursor that it did not give', async () => {
  const store = await createSqliteBackend({ file: ':memory:' });
  await expect(store.search('text', {}, 'first')).rejects.toMatchObject({ code: 'Unsupported' });
  await store.close();
});
