import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const sqlite = join(import.meta.dirname, '../../../packages/session-sqlite');
const fixture = join(sqlite, 'test/fixtures/picobot');
const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as {
  readonly listed: readonly string[];
  readonly listed_with_archived: readonly string[];
  readonly active: Readonly<Record<string, number>>;
  readonly all: Readonly<Record<string, number>>;
  readonly next_seq: Readonly<Record<string, number>>;
  readonly hidden: readonly string[];
};

interface Database {
  pragma(text: string): unknown;
  exec(statements: string): void;
  prepare(statement: string): { all(...values: unknown[]): unknown[] };
  close(): void;
}
const Engine = createRequire(join(sqlite, 'package.json'))('better-sqlite3') as new (
  file: string,
) => Database;

/** A gateway's folder whose store is a database as PicoBot left it. */
function picobotFolder(afterwards = '') {
  const folder = temporaryFolder();
  const file = join(folder, 'picobot.db');
  const database = new Engine(file);
  database.pragma('foreign_keys = OFF');
  database.exec(readFileSync(join(fixture, 'sessions.sql'), 'utf8'));
  database.exec(afterwards);
  database.close();
  writeFileSync(
    join(folder, 'holdfast.config.json'),
    JSON.stringify({ store: { kind: 'sqlite', path: './picobot.db' } }),
  );
  return { folder, file };
}

test('the command line shows a PicoBot database as it lies there', async () => {
  const { folder, file } = picobotFolder();
  const before = readFileSync(file);
  const run = async (...words: string[]) =>
    JSON.parse((await holdfast(folder, [...words, '--json', '--store', `sqlite:${file}`])).stdout);
  const keys = (sessions: { key: string }[]) => sessions.map(({ key }) => key).sort();
  expect(keys(await run('sessions', 'list'))).toEqual([...expected.listed].sort());
  expect(keys(await run('sessions', 'list', '--all'))).toEqual([...expected.listed_with_archived].sort());
  expect(keys(await run('sessions', 'list', '--deleted'))).toEqual(expected.hidden);
  const key = 'feishu:oc_ab12';
  expect((await run('sessions', 'show', key)).messages).toHaveLength(expected.active[key] ?? 0);
  expect((await run('sessions', 'show', key, '--all')).messages).toHaveLength(expected.all[key] ?? 0);
  expect(await run('doctor')).toMatchObject({ problems: [] });
  expect(readFileSync(file)).toEqual(before);
});

test('a gateway opens a PicoBot database in place, shows its sessions, and goes on in them', async () => {
  // Its jobs would run, which is another matter.
  const { folder, file } = picobotFolder('DELETE FROM scheduler_jobs');
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  const client = clientOf(gateway.url);
  const { sessions } = await client.get('/api/sessions?archived=true');
  expect(sessions.map(({ key }) => key).sort()).toEqual([...expected.listed_with_archived].sort());
  expect(sessions.find(({ key }) => key === 'cli-1')).toMatchObject({
    title: 'Release notes',
    channel: 'cli',
  });
  for (const [key, count] of Object.entries(expected.active))
    expect(await client.messages(key, 'active')).toHaveLength(count);

  // The chat's next message goes on where PicoBot was, and PicoBot finds it there.
  const context = { channel: 'feishu', chat_type: 'direct', chat_id: 'oc_ab12', sender_id: 'ou_1' };
  const answer = await client.inbound(context, 'are you still there?');
  expect(answer.session_key).toBe('feishu:oc_ab12');
  const said = await client.messages('feishu:oc_ab12');
  // Its last turn was cut off, which is said first.
  const added = said.filter(({ seq }) => seq >= (expected.next_seq['feishu:oc_ab12'] ?? 0));
  expect(added[0]?.seq).toBe(expected.next_seq['feishu:oc_ab12']);
  expect(added.map(({ content }) => content)).toContain('are you still there?');
  // A named session is the one of that name; one of another channel is not.
  expect((await client.post('/api/chat', { text: 'more', session: 'cli-1' })).session_key).toBe('cli-1');
  const stranger = await client.inbound({ ...context, channel: 'telegram', chat_id: 'cli-1' }, 'hello');
  expect(stranger.session_key).toMatch(/^sk_v1_/);
  await gateway.end();

  const database = new Engine(file);
  const rows = database
    .prepare("SELECT channel_name, chat_id, message_count FROM sessions WHERE id = 'feishu:oc_ab12'")
    .all();
  database.close();
  expect(rows).toEqual([{ channel_name: 'feishu', chat_id: 'oc_ab12', message_count: said.length }]);
});

test('a database that is none, or belongs to somebody else, ends the start with one clear line', async () => {
  const { folder, file } = picobotFolder();
  writeFileSync(file, 'This is a letter. '.repeat(500));
  await expect(startProgram(folder)).rejects.toThrow(
    /ended with 1: .*is not a SQLite database\. Name another file/,
  );
  expect(readFileSync(file, 'utf8')).toContain('This is a letter.');
});
