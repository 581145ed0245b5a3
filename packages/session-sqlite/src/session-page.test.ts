import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { defineFunctions } from './database-file.js';
import { createSqliteBackend } from './index.js';
import { migrate } from './schema.js';
import { createSessionPages } from './session-page.js';

let database: Database.Database;
beforeEach(() => {
  database = new Database(':memory:');
  migrate(database, ':memory:');
  defineFunctions(database);
});
afterEach(() => void database.close());

function plan(statement: string): string[] {
  return database
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => detail);
}

const base = { order: 'activity', archived: 'exclude', deleted: 'exclude', limit: 50 } as const;

it.each([
  ['the first page of a list', base, 'sessions_live', false],
  ['archived ones', { ...base, archived: 'only' }, 'sessions_archived', false],
  ['both', { ...base, archived: 'include' }, 'sessions_live', false],
  ['deleted ones', { ...base, archived: 'include', deleted: 'only' }, 'sessions_deleted', false],
  ['those of a channel', { ...base, channel: 'web' }, 'idx_sessions_channel_archived', true],
  ['those of an agent', { ...base, agentId: 'main' }, 'sessions_live', false],
  [
    'an export',
    { order: 'key', archived: 'include', deleted: 'include', limit: 200 },
    'sessions_key_order',
    false,
  ],
] as const)('reads a page along an index: %s', (_name, query, index, sortsTies) => {
  const plans = createSessionPages(database).plans(query);
  expect(plans.some((detail) => detail.includes(`USING INDEX ${index}`))).toBe(true);
  const sorts = plans.filter((detail) => detail.includes('TEMP B-TREE'));
  expect(sorts).toEqual(sortsTies ? ['USE TEMP B-TREE FOR LAST TERM OF ORDER BY'] : []);
});

it('finds messages, ids, aliases and what is to be done along an index', () => {
  const statements = [
    'SELECT content FROM messages WHERE session_id = 1 AND seq > 1 AND seq < 9 ORDER BY seq DESC LIMIT 5',
    'SELECT max(seq) FROM messages WHERE session_id = 1',
    'SELECT seq FROM messages WHERE session_id = 1 AND message_id = 1',
    'SELECT session_id FROM session_aliases WHERE alias = 1',
    'SELECT id FROM sessions INDEXED BY sessions_unindexed WHERE unindexed_from IS NOT NULL LIMIT 1',
  ];
  for (const statement of statements) {
    const details = plan(statement);
    expect(details.join('\n')).toMatch(/USING (?:COVERING )?INDEX|USING PRIMARY KEY/);
    expect(details.join('\n')).not.toContain('TEMP B-TREE');
  }
});

it('reads a page that begins within sessions of one time, and loses none of them', async () => {
  const store = await createSqliteBackend({
    file: join(await tempFolder(), 'ties.db'),
    synchronous: 'normal',
    now: () => new Date('2026-01-01'),
  });
  const keys = [
    'a',
    'b',
    'é',
    '\ufffd',
    '\u{1f600}',
    '\u{1f600}x',
    ...Array.from({ length: 20 }, (_, n) => `k${n}`),
  ];
  await Promise.all(keys.map((key) => store.ensure(key, { channel: 'web' })));
  await store.archive('k3');
  for (const query of [{ archived: 'include' }, { archived: 'include', channel: 'web' }] as const) {
    const shown: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ ...query, limit: 4 }, cursor);
      shown.push(...page.sessions.map(({ key }) => key));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(shown).toEqual([...keys].sort());
  }
  await store.close();
});
