import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageText, type SessionBackend } from '@x/session-store';
import { expect, onTestFinished, test } from 'vitest';
import { header, said, writtenDatabase, zstdFrame } from '../test/agent-database.js';
import { temporaryFolder } from '../test/folders.js';
import { createOpenclawBackend, type Finding, writeOpenclawFolder } from './index.js';

const key = 'agent:main:telegram:direct:5';

async function opened(directory: string, findings: Finding[] = []): Promise<SessionBackend> {
  const backend = await createOpenclawBackend({ directory, onFinding: (each) => findings.push(each) });
  onTestFinished(() => backend.close());
  return backend;
}

async function words(backend: SessionBackend, name = key, segment: 'active' | 'all' = 'all') {
  return (await backend.read(name, { segment })).map(messageText);
}

test('earlier windows of a key are its earlier segments, in the order in which they followed each other', async () => {
  const { directory, window, event } = writtenDatabase();
  window(key, 's2', 's1');
  for (const [id, previous] of [
    ['s1', null],
    ['s3', 's2'],
  ] as const)
    window(key, id, previous, 'rollover');
  for (const id of ['s1', 's2', 's3']) {
    event(id, 0, header(id));
    event(id, 1, said(`${id}-q`, null, 'user', `question ${id}`));
    event(id, 2, said(`${id}-a`, `${id}-q`, 'assistant', `answer ${id}`));
  }
  const backend = await opened(directory);
  expect(await words(backend)).toEqual(
    ['s1', 's2', 's3'].flatMap((id) => [`question ${id}`, `answer ${id}`]),
  );
  expect(await words(backend, key, 'active')).toEqual(['question s3', 'answer s3']);
  const { segments } = (await backend.meta(key)) ?? {};
  expect(segments?.map(({ lastSeq, reason }) => [lastSeq, reason])).toEqual([
    [2, 'reset'],
    [4, 'rollover'],
  ]);
});

test('packed events, archives and cold transcripts are read like the others', async () => {
  const { directory, window, event, archive, cold } = writtenDatabase();
  const long = 'A long answer, which is worth packing. '.repeat(20);
  const answer = said('a', 'q', 'assistant', long);
  window(key, 'cold-file', null, 'initial');
  window(key, 'cold-blob', 'cold-file');
  window(key, 'now', 'cold-blob');
  event('now', 0, header('now'));
  event('now', 1, said('q', null, 'user', 'Tell me'));
  event('now', 2, answer, zstdFrame(JSON.stringify(answer)));
  const lines = (id: string, text: string) =>
    [header(id), said(`${id}-1`, null, 'user', text)].map((each) => JSON.stringify(each)).join('\n');
  archive(key, 'archived', Buffer.from(lines('archived', 'from an archive')));
  const record = (seq: number, json: object) =>
    JSON.stringify({ kind: 'event', row: { seq, event_json: JSON.stringify(json), created_at: 1 } });
  const records = (id: string, text: string) =>
    [
      JSON.stringify({
        kind: 'header',
        version: 1,
        sessionId: id,
        generation: '1',
        padding: 'x'.repeat(300),
      }),
      record(0, header(id)),
      record(1, said(`${id}-1`, null, 'user', text)),
      JSON.stringify({ kind: 'active', row: { active_position: 0, event_seq: 1 } }),
    ].join('\n');
  const name = `${'c'.repeat(64)}.jsonl.zst`;
  const folder = join(directory, 'agents/main/sessions/cold');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), zstdFrame(records('cold-file', 'from a cold file')));
  cold('cold-file', name, null);
  cold('cold-blob', `${'d'.repeat(64)}.jsonl.zst`, zstdFrame(records('cold-blob', 'from a cold blob')));
  const backend = await opened(directory);
  expect(await words(backend)).toEqual([
    'from an archive',
    'from a cold file',
    'from a cold blob',
    'Tell me',
    long,
  ]);
});

test('the branch in use is the one that the database says, while it has kept up', async () => {
  const { directory, window, event, branch } = writtenDatabase();
  window(key, 's', null);
  event('s', 0, header('s'));
  event('s', 1, said('q', null, 'user', 'first'));
  event('s', 2, said('a', 'q', 'assistant', 'kept'));
  event('s', 3, said('b', 'q', 'assistant', 'tried and left'));
  branch('s', [1, 2], 3);
  const backend = await opened(directory);
  expect(await words(backend)).toEqual(['first', 'kept']);
  // Written back as a file, whose last entry would say otherwise.
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  expect(await words(await opened(target))).toEqual(['first', 'kept']);
  // An event that the database has not looked at yet: the tree itself says where the end is.
  event('s', 4, said('c', 'b', 'user', 'and on'));
  expect(await words(backend)).toEqual(['first', 'tried and left', 'and on']);
});

test('a database in use is read beside its writer, and every call sees what is there now', async () => {
  const { directory, path, keepOpen, window, event } = writtenDatabase();
  keepOpen();
  window(key, 's', null);
  event('s', 0, header('s'));
  expect(existsSync(`${path}-wal`)).toBe(true);
  const backend = await opened(directory);
  expect(await words(backend)).toEqual([]);
  for (let seq = 1; seq <= 3; seq += 1) {
    event('s', seq, said(`m${seq}`, seq === 1 ? null : `m${seq - 1}`, 'user', `line ${seq}`));
    expect(await words(backend)).toHaveLength(seq);
  }
  window('agent:main:telegram:direct:6', 'new', null);
  expect((await backend.list()).sessions.map((meta) => meta.key)).toContain('agent:main:telegram:direct:6');
});

test('a database that nobody has open has nothing beside it afterwards, and is read again when it was written', async () => {
  const { directory, path, close, window, event } = writtenDatabase();
  window(key, 's', null);
  event('s', 0, header('s'));
  close();
  const names = () => readdirSync(dirname(path));
  const before = names();
  const backend = await opened(directory);
  expect(await words(backend)).toEqual([]);
  expect(names()).toEqual(before);
  const { default: Engine } = await import('better-sqlite3');
  const writer = new Engine(path);
  writer
    .prepare('INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, 1, ?, 1)')
    .run('s', JSON.stringify(said('m', null, 'user', 'just now')));
  writer.close();
  expect(await words(backend)).toEqual(['just now']);
  await backend.close();
  expect(names()).toEqual(before);
});

test('a database that cannot be read, or lost what it put away, is named, and the rest is there', async () => {
  const { directory, window, cold } = writtenDatabase();
  window(key, 'gone', null);
  cold('gone', `${'e'.repeat(64)}.jsonl.zst`, null);
  mkdirSync(join(directory, 'agents/other/agent'), { recursive: true });
  writeFileSync(join(directory, 'agents/other/agent/openclaw-agent.sqlite'), 'no database at all');
  const findings: Finding[] = [];
  const backend = await opened(directory, findings);
  expect((await backend.list()).sessions).toHaveLength(4);
  expect(findings.map(({ code }) => code).sort()).toEqual(['unreadable-database', 'unreadable-transcript']);
});

test('older files beside a database are looked at for what is not in it', async () => {
  const { directory } = writtenDatabase();
  const sessions = join(directory, 'agents/main/sessions');
  mkdirSync(sessions, { recursive: true });
  const entry = (sessionId: string) => ({ sessionId, updatedAt: 1_772_000_000_000 });
  const index = {
    'agent:main:main': entry('11111111-1111-4222-8333-000000000001'),
    'agent:main:direct:old': entry('old'),
  };
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify(index));
  writeFileSync(
    join(sessions, 'old.jsonl'),
    [header('old'), said('1', null, 'user', 'left behind')]
      .map((each) => `${JSON.stringify(each)}\n`)
      .join(''),
  );
  const findings: Finding[] = [];
  const backend = await opened(directory, findings);
  expect(await words(backend, 'agent:main:direct:old')).toEqual(['left behind']);
  expect(await words(backend, 'agent:main:main')).toHaveLength(4);
  expect(findings.map(({ code }) => code)).toContain('older-files');
});
