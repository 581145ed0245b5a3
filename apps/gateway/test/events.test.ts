import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Answer, type Client, clientOf, eventsOf, type StreamEvent } from './support/client.js';
import { type RunningProgram, startProgram } from './support/program.js';
import { keptFolder, removeFolder } from './support/temporary-folder.js';

const folder = keptFolder();
let gateway: RunningProgram;
let client: Client;

// Hooks run last first: the folder goes once nobody uses it.
afterAll(() => removeFolder(folder));
beforeAll(async () => {
  gateway = await startProgram(folder);
  client = clientOf(gateway.url);
});
afterAll(async () => {
  await gateway.end();
});

async function watch(query = ''): Promise<StreamEvent[]> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`${gateway.url}/api/events${query}`, { signal: leaving.signal });
  const seen: StreamEvent[] = [];
  void (async () => {
    for await (const event of eventsOf(answer)) seen.push(event);
  })().catch(() => {});
  await expect.poll(() => seen[0]?.event).toBe('hello');
  return seen;
}

test('everyone is told of a turn from its beginning to its end', async () => {
  const seen = await watch();
  const { session_key: key } = await client.post('/api/chat', {
    text: 'what time is it?',
    session: 'watched',
  });
  await expect
    .poll(() => seen.some(({ event, data }) => event === 'session' && data.session.turn === 'idle'))
    .toBe(true);
  const names = seen.map(({ event }) => event).filter((event) => event !== 'session' && event !== 'token');
  expect(names).toEqual(['hello', 'turn', 'user', 'message', 'tool', 'message', 'tool', 'message', 'turn']);
  expect(seen.filter(({ event }) => event === 'turn').map(({ data }) => data.state)).toEqual([
    'running',
    'done',
  ]);
  const turnId = seen[1]?.data.turn_id;
  for (const { event, data } of seen) {
    if (event === 'hello') expect(Date.parse(data.started_at)).not.toBeNaN();
    else if (event === 'session') expect(data.session.key).toBe(key);
    else expect(data).toMatchObject({ session_key: key, turn_id: turnId });
  }
  const last = seen.findLast(({ event }) => event === 'session');
  expect(last?.data.session).toMatchObject({
    title: 'watched',
    message_count: 4,
    preview: expect.stringMatching(/^It is/),
  });
});

test('who comes in the middle of an answer is told first what it has said so far', async () => {
  const early = await watch();
  const answer = client.post('/api/chat', { text: '/slow 2 one two three four five six', session: 'joined' });
  await expect.poll(() => early.filter(({ event }) => event === 'token').length).toBeGreaterThan(2);
  const late = await watch();
  const { reply } = await answer;
  await expect
    .poll(() => late.some(({ event, data }) => event === 'turn' && data.state === 'done'))
    .toBe(true);
  expect(late.slice(1, 3).map(({ event }) => event)).toEqual(['turn', 'token']);
  const told = late.filter(({ event }) => event === 'token').map(({ data }) => data.text);
  expect(told.join('')).toBe(reply);
  expect(told.length).toBeGreaterThan(1);
});

test('who watches one session is told its words only, but of every change', async () => {
  await client.post('/api/chat', { text: 'hello', session: 'mine' });
  const seen = await watch('?session=mine');
  await client.post('/api/chat', { text: 'not for me', session: 'theirs' });
  const { session_key: key } = await client.post('/api/chat', { text: 'for me', session: 'mine' });
  await expect.poll(() => seen.filter(({ event }) => event === 'turn')).toHaveLength(4);
  const words = seen.filter(({ event }) => event === 'token' || event === 'message');
  expect(words.length).toBeGreaterThan(0);
  expect(words.every(({ data }) => data.session_key === key)).toBe(true);
});

test('lifecycle changes are told and have their effect', async () => {
  const { session_key: key } = await client.post('/api/chat', { text: 'hello', session: 'lifecycle' });
  const seen = await watch();
  const path = '/api/sessions/lifecycle';
  expect((await client.post(`${path}/rename`, { title: '' })).session.title).toBeNull();
  for (const title of ['a\u0000b', '\u001b[2J', 'x'.repeat(201)])
    expect((await client.post(`${path}/rename`, { title })).error.code).toBe('invalid_request');
  expect((await client.post(`${path}/rename`, { title: '  Greetings ' })).session.title).toBe('Greetings');
  expect((await client.get('/api/sessions?q=greet')).sessions).toHaveLength(1);
  expect((await client.post(`${path}/archive`)).session.archived).toBe(true);
  expect((await client.get('/api/sessions?q=greet')).sessions).toHaveLength(0);
  expect((await client.get('/api/sessions?q=greet&archived=true')).sessions).toHaveLength(1);
  expect((await client.post(`${path}/unarchive`)).session.archived).toBe(false);
  expect((await client.post(`${path}/reset`)).session).toMatchObject({ message_count: 2, active_count: 0 });
  const forgotten = await client.post('/api/chat', { text: 'what did I say?', session: key });
  expect(forgotten.reply).toMatch(/^Nothing yet/);
  const details = (await client.get(path)).session;
  expect(details).toMatchObject({
    segments: [{ last_seq: 2 }],
    first_active_seq: 3,
    scope: { channel: 'web' },
  });
  expect(await client.delete(path)).toEqual({ deleted: true });
  expect((await client.get('/api/sessions?deleted=true')).sessions).toMatchObject([{ key, deleted: true }]);
  expect((await client.get(path)).error.code).toBe('session_not_found');
  expect((await client.post(`/api/sessions/${key}/restore`)).session).toMatchObject({
    message_count: 4,
    deleted: false,
  });
  expect((await client.post(`/api/sessions/${key}/clear`)).session).toMatchObject({ message_count: 0 });
  await expect
    .poll(() => seen.some(({ event, data }) => event === 'session_deleted' && data.key === key))
    .toBe(true);
  await expect
    .poll(() => seen.findLast(({ event }) => event === 'session')?.data.session.message_count)
    .toBe(0);
});

test('a page of messages is the newest before a place, in the order they were said', async () => {
  for (let turn = 1; turn <= 4; turn += 1)
    await client.post('/api/chat', { text: `turn ${turn}`, session: 'paged' });
  const seqs = (page: Answer) => page.messages.map(({ seq }) => seq);
  const newest = await client.get('/api/sessions/paged/messages?limit=3');
  expect([seqs(newest), newest.has_more, newest.first_active_seq]).toEqual([[6, 7, 8], true, 1]);
  const older = await client.get('/api/sessions/paged/messages?limit=3&before=6');
  expect([seqs(older), older.has_more]).toEqual([[3, 4, 5], true]);
  const oldest = await client.get('/api/sessions/paged/messages?limit=3&before=3');
  expect([seqs(oldest), oldest.has_more]).toEqual([[1, 2], false]);
  const after = await client.get('/api/sessions/paged/messages?after=6');
  expect(seqs(after)).toEqual([7, 8]);
});
