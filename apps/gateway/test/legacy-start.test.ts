import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const fixture = join(import.meta.dirname, '../../../packages/memory-jsonl/test/fixtures/picoclaw-legacy');
const KEYS = ['agent:main:direct:user9', 'nokey', 'telegram:123456'];
const FILES = ['agent_main_direct_user9.json', 'nokey.json', 'telegram_123456.json'];

function legacyData(): { folder: string; sessions: string } {
  const folder = temporaryFolder();
  const sessions = join(folder, 'data/sessions');
  mkdirSync(sessions, { recursive: true });
  cpSync(join(fixture, 'sessions'), sessions, { recursive: true });
  return { folder, sessions };
}

async function running(folder: string) {
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  return { gateway, client: clientOf(gateway.url) };
}

async function keysOf(client: ReturnType<typeof clientOf>): Promise<string[]> {
  const { sessions } = await client.get('/api/sessions?limit=200');
  return sessions.map(({ key }: { key: string }) => key).toSorted();
}

test('sessions of the older format are moved when the gateway starts, once', async () => {
  const { folder, sessions } = legacyData();
  // Shown before they are moved, too.
  const shown = JSON.parse((await holdfast(folder, ['sessions', 'list', '--json'])).stdout);
  expect(shown.map(({ key }: { key: string }) => key).toSorted()).toEqual(KEYS);
  expect(readdirSync(sessions)).toEqual(readdirSync(join(fixture, 'sessions')));

  const first = await running(folder);
  expect(await keysOf(first.client)).toEqual(KEYS);
  expect((await first.client.get('/api/sessions/telegram%3A123456')).session).toMatchObject({
    summary: 'A short visit.',
    message_count: 3,
    created_at: '2025-11-02T08:00:00.000Z',
  });
  expect(first.gateway.errors()).toContain('broken.json');
  const reply = await first.client.post('/api/chat', { text: 'what did I say?', session: 'telegram:123456' });
  expect(reply.reply).toContain('hi');
  expect(await first.gateway.end()).toBe(0);

  const names = readdirSync(sessions);
  for (const file of FILES)
    expect([file, names.includes(file), names.includes(`${file}.migrated`)]).toEqual([file, false, true]);
  expect(names).toEqual(expect.arrayContaining(['broken.json', 'done.json.migrated']));

  for (let round = 0; round < 2; round += 1) {
    const again = await running(folder);
    expect(await keysOf(again.client)).toEqual(KEYS);
    expect(await again.client.messages('telegram:123456')).toHaveLength(6);
    expect(await again.gateway.end()).toBe(0);
  }
  expect(readdirSync(sessions).toSorted()).toEqual(names.toSorted());
});

test('where the newer format cannot be written, the whole run uses the older files, and none is renamed', async () => {
  const { folder, sessions } = legacyData();
  // No sub-folder can be made under this name.
  writeFileSync(join(sessions, '.holdfast'), 'in the way');
  const run = await running(folder);
  expect(run.gateway.errors()).toContain('this run goes on with the older files');
  expect(await keysOf(run.client)).toEqual(KEYS);
  await run.client.post('/api/chat', { text: 'said in between', session: 'telegram:123456' });
  await run.client.post('/api/chat', { text: 'a new one', session: 'notes' });
  expect(await run.gateway.end()).toBe(0);
  const names = readdirSync(sessions);
  expect(names.filter((name) => name.endsWith('.migrated'))).toEqual(['done.json.migrated']);
  expect(names.some((name) => name.endsWith('.jsonl'))).toBe(false);
  const written = JSON.parse(readFileSync(join(sessions, 'telegram_123456.json'), 'utf8'));
  expect(written).toMatchObject({ key: 'telegram:123456', summary: 'A short visit.' });
  expect(written.messages.map(({ content }: { content: string }) => content)).toContain('said in between');

  rmSync(join(sessions, '.holdfast'));
  const next = await running(folder);
  expect(await keysOf(next.client)).toHaveLength(KEYS.length + 1);
  expect(await next.client.messages('telegram:123456')).toHaveLength(6);
  expect((await next.client.messages('notes'))[0]).toMatchObject({ content: 'a new one' });
  expect(await next.gateway.end()).toBe(0);
  expect(readdirSync(sessions).filter((name) => name.endsWith('.json.migrated'))).toHaveLength(5);
});

test('after the move there is no silent way back', async () => {
  const { folder, sessions } = legacyData();
  const first = await running(folder);
  await first.gateway.end();
  writeFileSync(
    join(sessions, 'late.json'),
    JSON.stringify({
      key: 'late',
      messages: [{ role: 'user', content: 'late' }],
      created: '2026-01-01T00:00:00Z',
    }),
  );
  rmSync(join(sessions, '.holdfast/intents'), { recursive: true });
  writeFileSync(join(sessions, '.holdfast/intents'), 'in the way');
  const failed = await holdfast(folder, ['start']);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain(sessions);
  expect(readdirSync(sessions)).toContain('late.json');
});

test('a folder of older files can be the data folder itself, and a database the store', async () => {
  const folder = temporaryFolder();
  cpSync(join(fixture, 'sessions'), join(folder, 'data'), { recursive: true });
  const plain = await running(folder);
  expect(await keysOf(plain.client)).toEqual(KEYS);
  await plain.gateway.end();

  const other = temporaryFolder();
  writeFileSync(join(other, 'holdfast.config.json'), '{"store": "sqlite"}');
  const moved = await holdfast(other, ['migrate', '--from', 'picoclaw', join(fixture, 'sessions'), '--json']);
  expect(moved.code).toBe(1);
  expect(JSON.parse(moved.stdout).to).toBe(`sqlite:${join(other, 'data/sessions.sqlite')}`);
  const database = await running(other);
  const status = await database.client.request('GET', '/api/status');
  expect(((await status.json()) as { store: unknown }).store).toEqual({
    kind: 'sqlite',
    path: join(other, 'data/sessions.sqlite'),
  });
  expect(await keysOf(database.client)).toEqual(KEYS);
  await database.client.post('/api/chat', { text: 'kept in the database', session: 'nokey' });
  expect(await database.gateway.end()).toBe(0);
  const found = await holdfast(other, ['sessions', 'search', 'database', '--json']);
  expect(JSON.parse(found.stdout)[0]).toMatchObject({ key: 'nokey', role: 'user' });
  expect(readdirSync(join(other, 'data'))).not.toContain('sessions');
});
