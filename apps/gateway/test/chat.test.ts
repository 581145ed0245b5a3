import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, clientOf, collect, eventsOf } from './support/client.js';
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

test('a turn is told as accepted, tokens, message, done', async () => {
  const events = await collect(client.chat({ text: 'hello', session: 'shapes', id: 'first' }));
  const names = events.map(({ event }) => event);
  expect(names[0]).toBe('accepted');
  expect(names.slice(1, -2).every((name) => name === 'token')).toBe(true);
  expect(names.slice(-2)).toEqual(['message', 'done']);
  expect(events[0]?.data).toEqual({
    session_key: expect.stringMatching(/^sk_v1_[0-9a-f]{64}$/),
    seq: 1,
    id: 'first',
    turn_id: expect.any(String),
  });
  const streamed = events.filter(({ event }) => event === 'token').map(({ data }) => data.text);
  const { message } = events.at(-2)?.data ?? {};
  expect(message).toMatchObject({
    seq: 2,
    role: 'assistant',
    content: streamed.join(''),
    model_name: 'offline',
  });
  expect(message?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(events.at(-1)?.data).toEqual({
    session_key: events[0]?.data.session_key,
    turn_id: events[0]?.data.turn_id,
    status: 'done',
    reply: streamed.join(''),
  });
});

test('a tool is told as it begins and ends', async () => {
  const events = await collect(client.chat({ text: 'remember that tea is at four', session: 'tools' }));
  const tools = events.filter(({ event }) => event === 'tool').map(({ data }) => data);
  expect(tools).toEqual([
    { phase: 'start', id: expect.any(String), name: 'remember', arguments: '{"fact":"tea is at four"}' },
    { phase: 'end', id: tools[0]?.id, name: 'remember', result: expect.stringContaining('tea is at four') },
  ]);
  const recalled = await client.post('/api/chat', { text: 'what do you remember?', session: 'tools' });
  expect(recalled.reply).toContain('- tea is at four');
  expect(recalled.messages.map(({ role }: { role: string }) => role)).toEqual([
    'assistant',
    'tool',
    'assistant',
  ]);
});

test('the same id is answered once, however often and however it is sent', async () => {
  const body = { text: 'only once, please', session: 'retry', id: 'retry-1' };
  const together = await Promise.all([1, 2, 3].map(() => client.post('/api/chat', body)));
  const later = await client.post('/api/chat', body);
  expect(new Set([...together, later].map(({ reply }) => reply)).size).toBe(1);
  const replayed = await collect(client.chat(body));
  expect(replayed.at(-1)).toMatchObject({ event: 'done', data: { reply: later.reply } });
  expect(await client.messages('retry')).toHaveLength(2);
});

test('a name in any case, a key and an alias lead to one session', async () => {
  const first = await client.post('/api/chat', { text: 'one', session: 'Order-01HXYZ' });
  await client.post('/api/chat', { text: 'two', session: 'order-01hxyz' });
  await client.post('/api/chat', { text: 'three', session: first.session_key });
  await client.post('/api/chat', {
    text: 'four',
    session: first.session_key.toUpperCase().replace('SK_V1', 'sk_v1'),
  });
  const { session } = await client.get('/api/sessions/ORDER-01HXYZ');
  expect(session).toMatchObject({ key: first.session_key, title: 'Order-01HXYZ', message_count: 8 });
  const said = (await client.messages('Order-01HXYZ')).filter(({ role }) => role === 'user');
  expect(said.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four']);
});

test('an explicit key of the older form is a session under its own agent and channel', async () => {
  const reply = await client.post('/api/chat', { text: 'hi', session: 'agent:main:telegram:direct:77' });
  expect(reply.session_key).toBe('agent:main:telegram:direct:77');
  const { session } = await client.get('/api/sessions/agent%3Amain%3Atelegram%3Adirect%3A77');
  expect(session).toMatchObject({ channel: 'telegram', agent_id: 'main' });
});

test('a new session starts empty though the main session has a history', async () => {
  await client.post('/api/chat', { text: 'the main session knows owls', session: 'agent:main:main' });
  const fresh = await client.post('/api/chat', { text: 'what did I say?', session: 'fresh after main' });
  expect(fresh.reply).not.toContain('owls');
  const main = await client.get('/api/sessions/agent:main:main');
  expect(main.session.message_count).toBe(2);
});

test('a reader that goes away does not end the turn', async () => {
  const gone = new AbortController();
  const answer = await fetch(`${gateway.url}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ text: '/slow 1 left alone', session: 'left' }),
    signal: gone.signal,
  });
  for await (const { event } of eventsOf(answer)) if (event === 'token') break;
  gone.abort();
  await expect
    .poll(async () => (await client.get('/api/sessions/left')).session.turn, { timeout: 20_000 })
    .toBe('idle');
  const messages = await client.messages('left');
  expect(messages.at(-1)?.content).toMatch(/until everything has been said and the answer is complete\.$/);
});

test('a running turn is stopped, and what was said so far is kept', async () => {
  let status: string | undefined;
  for await (const { event, data } of client.chat({ text: '/slow 60 stop me', session: 'stopping' })) {
    if (event === 'token' && status === undefined) {
      status = 'asked';
      expect((await client.get('/api/sessions/stopping')).session.turn).toBe('running');
      expect(await client.post('/api/sessions/stopping/stop')).toEqual({ stopped: true });
    }
    if (event === 'done') status = data.status;
  }
  expect(status).toBe('stopped');
  const last = (await client.messages('stopping')).at(-1);
  expect(last).toMatchObject({ role: 'assistant', meta: { status: 'stopped' } });
  expect(await client.post('/api/sessions/stopping/stop')).toEqual({ stopped: false });
});

test('messages to a busy session wait their turn: none is lost, all are answered in order', async () => {
  const slow = client.post('/api/chat', { text: '/slow 1 first', session: 'busy' });
  await expect.poll(async () => (await client.get('/api/sessions/busy')).session?.turn).toBe('running');
  const answers = await Promise.all([
    slow,
    ...['second', 'third'].map((text) => client.post('/api/chat', { text, session: 'busy' })),
  ]);
  expect(answers.every(({ reply }) => reply.length > 0)).toBe(true);
  const roles = (await client.messages('busy')).map(({ role }) => role);
  expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
});

test('a hundred sessions at once: no error, nothing out of order, nothing missing', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `crowd ${index}`);
  await Promise.all(
    names.map(async (session) => {
      for (let turn = 1; turn <= 5; turn += 1) {
        const events = await collect(client.chat({ text: `${session}, message ${turn}`, session }));
        expect(events.at(-1)?.event).toBe('done');
      }
    }),
  );
  for (const session of names) {
    const messages = await client.messages(session);
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said).toEqual([1, 2, 3, 4, 5].map((turn) => `${session}, message ${turn}`));
    expect(
      messages.every(({ role, content }) => role === 'user' || content.startsWith(`You said: ${session}, `)),
    ).toBe(true);
  }
}, 120_000);
