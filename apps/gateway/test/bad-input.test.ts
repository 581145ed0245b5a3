import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, clientOf, collect, problemOf } from './support/client.js';
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

async function refusal(method: string, path: string, body?: unknown) {
  const answer = await client.request(method, path, body);
  const { code, message } = await problemOf(answer);
  return [answer.status, code, message] as const;
}

test('a body that is not what is asked for is refused with the field named', async () => {
  expect(await refusal('POST', '/api/chat', '{"text": ')).toEqual([400, 'invalid_json', expect.any(String)]);
  expect(await refusal('POST', '/api/chat', '')).toEqual([400, 'invalid_json', expect.any(String)]);
  expect(await refusal('POST', '/api/chat', {})).toEqual([
    400,
    'invalid_request',
    'text: expected string, got undefined',
  ]);
  expect(await refusal('POST', '/api/chat', { text: 7 })).toEqual([
    400,
    'invalid_request',
    'text: expected string, got number',
  ]);
  expect(await refusal('POST', '/api/chat', [])).toEqual([
    400,
    'invalid_request',
    expect.stringContaining('object'),
  ]);
  expect(await refusal('POST', '/api/chat', { text: '  ' })).toEqual([
    400,
    'invalid_request',
    expect.stringContaining('empty'),
  ]);
  expect(await refusal('POST', '/api/inbound', { context: { channel: {} }, text: 'x' })).toEqual([
    400,
    'invalid_request',
    expect.stringContaining('context.channel'),
  ]);
  expect(await refusal('POST', '/api/chat', { text: 'x', agent: 'nobody' })).toEqual([
    400,
    'unknown_agent',
    expect.stringContaining('nobody'),
  ]);
  expect(await refusal('GET', '/api/sessions?limit=0')).toEqual([
    400,
    'invalid_query',
    expect.stringContaining('limit'),
  ]);
});

test('what is not there is said not to be there', async () => {
  for (const [method, path] of [
    ['GET', '/api/sessions/nobody'],
    ['GET', '/api/sessions/nobody/messages'],
    ['POST', '/api/sessions/nobody/reset'],
    ['POST', '/api/sessions/nobody/restore'],
    ['POST', '/api/sessions/nobody/stop'],
    ['DELETE', '/api/sessions/nobody'],
    ['DELETE', '/api/sessions/*'],
  ] as const) {
    expect((await refusal(method, path)).slice(0, 2)).toEqual([404, 'session_not_found']);
  }
  expect((await refusal('GET', '/api/nothing')).slice(0, 2)).toEqual([404, 'not_found']);
  expect((await refusal('GET', '/api/sessions/')).slice(0, 2)).toEqual([404, 'not_found']);
});

test.each([
  ['DELETE', '/api/chat', 'POST'],
  ['PUT', '/api/sessions', 'GET, HEAD'],
  ['PUT', '/api/sessions/anything', 'GET, HEAD, DELETE'],
])('%s %s is told the methods that there are', async (method, path, allowed) => {
  const answer = await client.request(method, path);
  expect([answer.status, (await problemOf(answer)).code]).toEqual([405, 'method_not_allowed']);
  expect(answer.headers.get('allow')).toBe(allowed);
});

test('a caller that goes away in the middle of its body is no fault of the gateway', async () => {
  const { hostname, port } = new URL(gateway.url);
  await new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.end(`POST /api/chat HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 50\r\n\r\n{"text":`);
    });
    socket.on('close', resolve).resume();
  });
  expect(await client.get('/healthz')).toEqual({ status: 'ok' });
  expect(gateway.errors()).not.toContain('A request failed.');
});

test('names that look like paths are harmless names, and nothing lands outside the folder', async () => {
  const before = readdirSync(folder);
  const names = [
    '../../x',
    '..\\x',
    '%2e%2e%2f',
    'C:x',
    'a/b',
    '*',
    '__proto__',
    'con',
    '.',
    '🙂',
    'sk_v1_short',
  ];
  for (const session of names) {
    const reply = await client.post('/api/chat', { text: `I am ${session}`, session });
    expect(reply.session_key).toMatch(/^sk_v1_[0-9a-f]{64}$/);
    expect((await client.messages(reply.session_key))[0]?.content).toBe(`I am ${session}`);
  }
  for (const session of ['a\u0000b', 'a\nb', 'x'.repeat(201), '   ']) {
    expect((await refusal('POST', '/api/chat', { text: 'hi', session })).slice(0, 2)).toEqual([
      400,
      'invalid_session',
    ]);
  }
  expect((await refusal('POST', '/api/chat', { text: 'hi', session: 'x'.repeat(10_000) }))[0]).toBe(400);
  expect(readdirSync(folder)).toEqual(before);
  expect(existsSync(join(folder, '..', 'x'))).toBe(false);
});

test('a body of 50 MB is refused before it is read, told or not', async () => {
  const answer = await client.request('POST', '/api/chat', JSON.stringify({ text: 'x'.repeat(2_000_000) }));
  expect(answer.status).toBe(413);
  expect((await problemOf(answer)).code).toBe('body_too_large');

  const { hostname, port } = new URL(gateway.url);
  const announced = 50 * 1024 * 1024;
  for (const framing of [`Content-Length: ${announced}`, 'Transfer-Encoding: chunked']) {
    const chunk = 'x'.repeat(64 * 1024);
    let sent = 0;
    const head = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/chat HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
        );
        pump();
      });
      function pump(): void {
        while (sent < announced && !socket.destroyed && received === '') {
          sent += chunk.length;
          const piece = framing.startsWith('Content')
            ? chunk
            : `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
          if (!socket.write(piece)) {
            socket.once('drain', pump);
            return;
          }
        }
      }
      socket.on('data', (piece: Buffer) => {
        received += piece.toString();
        socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(received.split('\r\n')[0] ?? ''));
    });
    expect(head).toBe('HTTP/1.1 413 Payload Too Large');
  }
});

test('a model that fails, or streams garbage, ends the turn with an error, and the next one is answered', async () => {
  const failed = await client.request(
    'POST',
    '/api/chat',
    { text: '/fail', session: 'broken' },
    { accept: 'application/json' },
  );
  expect(failed.status).toBe(502);
  expect(await failed.json()).toMatchObject({
    error: { code: 'model_failed' },
    session_key: expect.any(String),
  });
  const streamed = await collect(client.chat({ text: '/fail-after 4 words', session: 'broken' }));
  expect(streamed.filter(({ event }) => event === 'token')).toHaveLength(4);
  expect(streamed.at(-1)).toMatchObject({ event: 'error', data: { code: 'model_failed' } });
  const garbage = await collect(client.chat({ text: '/garbage', session: 'broken' }));
  expect(garbage.at(-1)).toMatchObject({
    event: 'error',
    data: { code: expect.any(String), message: expect.any(String) },
  });
  const next = await client.post('/api/chat', { text: 'still there?', session: 'broken' });
  expect(next.reply).toContain('still there?');
  const said = (await client.messages('broken')).filter(({ role }) => role === 'user');
  expect(said.map(({ content }) => content)).toEqual([
    '/fail',
    '/fail-after 4 words',
    '/garbage',
    'still there?',
  ]);
  expect(gateway.errors()).not.toContain('still there?');
});
