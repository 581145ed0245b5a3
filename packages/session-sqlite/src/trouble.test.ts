import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { openPicobot, picobotFile } from '../test/picobot-file.js';
import { checkSqlite, createSqliteBackend } from './index.js';
import { migrate, schemaVersion } from './schema.js';
import { createWriteQueue } from './write-queue.js';

it('refuses a file that is not a database, and leaves it alone', async () => {
  const file = join(await tempFolder(), 'letter.txt');
  const text = 'Dear reader, this is no database. '.repeat(50);
  await writeFile(file, text);
  await expect(createSqliteBackend({ file })).rejects.toMatchObject({
    code: 'StoreCorrupt',
    path: file,
    message: expect.stringContaining('not a SQLite database'),
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});

it('refuses a folder, and a file without a name', async () => {
  await expect(createSqliteBackend({ file: await tempFolder() })).rejects.toMatchObject({
    code: 'StoreFailed',
  });
  await expect(createSqliteBackend({ file: '' })).rejects.toMatchObject({ code: 'StoreFailed' });
});

it('refuses a database of another program, and changes nothing in it', async () => {
  const file = join(await tempFolder(), 'other.db');
  const other = new Database(file);
  other.exec('CREATE TABLE sessions(session_id TEXT, data BLOB)');
  other.close();
  await expect(createSqliteBackend({ file })).rejects.toMatchObject({
    code: 'StoreFailed',
    message: expect.stringContaining('another program'),
  });
  const again = new Database(file);
  expect(again.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['sessions']);
  again.close();
});

it('refuses a file of a newer version', async () => {
  const file = join(await tempFolder(), 'newer.db');
  await (await createSqliteBackend({ file })).close();
  const newer = new Database(file);
  newer.exec('INSERT INTO holdfast_schema VALUES (1000, 0)');
  newer.close();
  await expect(createSqliteBackend({ file })).rejects.toMatchObject({
    message: expect.stringContaining('newer version'),
  });
});

it('migrates once, and a second time changes nothing', async () => {
  const file = await picobotFile();
  const database = new Database(file);
  migrate(database, file);
  const schema = () => database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  const before = schema();
  migrate(database, file);
  expect(schema()).toEqual(before);
  expect(database.prepare('SELECT version FROM holdfast_schema').pluck().all()).toEqual(
    Array.from({ length: schemaVersion }, (_, index) => index + 1),
  );
  database.close();
});

it('tells that the disk is full, keeps what was there, and goes on once there is room', async () => {
  const database = new Database(join(await tempFolder(), 'full.db'));
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE notes(text TEXT)');
  const queue = createWriteQueue(database, 'full.db', 1000);
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  const note = (text: string) => queue.write(() => () => void insert.run(text), text.slice(0, 5));
  await note('first');
  const pages = Number(database.pragma('page_count', { simple: true }));
  database.pragma(`max_page_count = ${pages + 2}`);
  const [small, large, other] = await Promise.allSettled([
    note('small'),
    note('x'.repeat(100_000)),
    note('other'),
  ]);
  expect([small.status, large.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(large).toMatchObject({ reason: { code: 'StoreFull', key: 'xxxxx', path: 'full.db' } });
  database.pragma(`max_page_count = ${pages + 1000}`);
  await note('y'.repeat(100_000));
  expect(database.prepare('SELECT substr(text, 1, 5) FROM notes').pluck().all()).toEqual([
    'first',
    'small',
    'other',
    'yyyyy',
  ]);
  database.close();
});

it('lets one that cannot be decided fail alone, and the others that wait with it be stored', async () => {
  const store = await createSqliteBackend({ file: ':memory:' });
  await store.ensure('there');
  const outcomes = await Promise.allSettled(
    ['there', 'missing', 'there'].map((key) => store.append(key, [{ role: 'user', content: 'x' }])),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await store.meta('there')).toMatchObject({ messageCount: 2 });
  await store.close();
});

it('keeps two databases in memory apart', async () => {
  const one = await createSqliteBackend({ file: ':memory:' });
  const two = await createSqliteBackend({ file: ':memory:' });
  await one.ensure('a');
  expect(await two.meta('a')).toBeUndefined();
  expect(one.capabilities).toMatchObject({ durable: false, sharing: 'one-process' });
  await one.close();
  await two.close();
});

it('says what it promises: a power cut with full, the death of the process with normal', async () => {
  const file = join(await tempFolder(), 'promise.db');
  for (const [synchronous, durable] of [
    ['full', 'power'],
    ['normal', 'process'],
  ] as const) {
    const store = await createSqliteBackend({ file, synchronous });
    expect(store.capabilities).toMatchObject({ durable, sharing: 'many-processes', search: true });
    await store.close();
  }
});

it("shows PicoBot's file without changing a byte of it, where it is only to be read", async () => {
  const file = await picobotFile();
  const before = await readFile(file);
  const store = await createSqliteBackend({ file, readOnly: true });
  expect((await store.list({ archived: 'include' })).sessions).toHaveLength(4);
  expect(await store.read('feishu:oc_ab12')).toHaveLength(4);
  expect((await store.search('shorten')).hits).toMatchObject([{ key: 'cli-1' }]);
  expect(await store.ensure('cli-1')).toMatchObject({ created: false });
  await expect(store.append('cli-1', [{ role: 'user', content: 'x' }])).rejects.toMatchObject({
    code: 'Unsupported',
  });
  await expect(store.lease('cli-1', { holder: 'x', ttlMs: 1 })).rejects.toMatchObject({
    code: 'Unsupported',
  });
  await store.close();
  expect(await readFile(file)).toEqual(before);
  await expect(createSqliteBackend({ file: `${file}-not`, readOnly: true })).rejects.toMatchObject({
    code: 'StoreFailed',
  });
});

it('sees from a reader what a writer of another connection stores', async () => {
  const file = join(await tempFolder(), 'read.db');
  const writer = await createSqliteBackend({ file });
  const reader = await createSqliteBackend({ file, readOnly: true });
  await writer.ensure('a', { aliases: ['name'] });
  await writer.append('a', [{ role: 'user', content: 'seen' }]);
  expect(await reader.resolve('name')).toBe('a');
  expect((await reader.read('a')).map(({ content }) => content)).toEqual(['seen']);
  await reader.close();
  await writer.close();
});

it('leaves no log behind when it is closed, and keeps it small meanwhile', async () => {
  const file = join(await tempFolder(), 'log.db');
  const store = await createSqliteBackend({ file, synchronous: 'normal' });
  const reader = await createSqliteBackend({ file, readOnly: true });
  await store.ensure('a');
  for (let round = 0; round < 60; round += 1) {
    await store.append('a', [{ role: 'user', content: 'x'.repeat(500_000) }]);
    await reader.read('a', { limit: 2, order: 'desc' });
  }
  expect((await stat(`${file}-wal`)).size).toBeLessThan(64 * 1024 * 1024);
  await reader.close();
  await store.close();
  await expect(stat(`${file}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('finds what is wrong in a database, and nothing in a sound one', async () => {
  const file = await picobotFile();
  expect(await checkSqlite(file)).toEqual([]);
  await (await createSqliteBackend({ file })).close();
  expect(await checkSqlite(file)).toEqual([]);

  const bot = openPicobot(file);
  bot.run('PRAGMA foreign_keys = OFF');
  bot.run("DELETE FROM sessions WHERE id = 'telegram:77'");
  bot.run("UPDATE sessions SET message_count = 9 WHERE id = 'cli-1'");
  bot.close();
  const problems = await checkSqlite(file);
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['orphan', 'wrong-count']));
  expect(problems.find(({ code }) => code === 'wrong-count')).toMatchObject({ key: 'cli-1', path: file });
});

it('finds a page that was overwritten, and says what to do where it cannot go on', async () => {
  const file = join(await tempFolder(), 'damaged.db');
  const store = await createSqliteBackend({ file });
  await store.ensure('a');
  for (let round = 0; round < 20; round += 1) {
    await store.append('a', [{ role: 'user', content: `${round} `.repeat(2000) }]);
  }
  await store.close();
  const bytes = await readFile(file);
  for (let page = 20; page * 4096 < bytes.length; page += 1)
    bytes.fill(0xff, page * 4096, page * 4096 + 2000);
  await writeFile(file, bytes);
  const problems = await checkSqlite(file).catch((error: unknown) => error);
  expect(JSON.stringify(problems)).toMatch(/damaged|StoreCorrupt/);
});
