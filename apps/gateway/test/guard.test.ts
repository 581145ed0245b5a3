import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, problemOf } from './support/client.js';
import { holdfast, type RunningProgram, startProgram } from './support/program.js';
import { keptFolder, removeFolder, temporaryFolder } from './support/temporary-folder.js';

const token = 'a-token-for-tests-only';
const folder = keptFolder();
let open: RunningProgram;
let locked: RunningProgram;

// Hooks run last first: the folder goes once nobody uses it.
afterAll(() => removeFolder(folder));
beforeAll(async () => {
  [open, locked] = await Promise.all([
    startProgram(folder),
    startProgram(folder, { HOLDFAST_TOKEN: token, HOLDFAST_DATA: `${folder}/locked` }),
  ]);
});
afterAll(async () => {
  await Promise.all([open.end(), locked.end()]);
});

/** `fetch` does not let us lie about the host. */
async function status(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('a name that is not ours is refused, everywhere', async () => {
  for (const path of ['/', '/healthz', '/api/status', '/metrics']) {
    expect(await status(open.url + path, { host: 'evil.test' })).toBe(403);
    expect(await status(open.url + path, { host: `evil.test:${new URL(open.url).port}` })).toBe(403);
  }
  expect(await status(`${open.url}/api/status`, { host: 'localhost:1' })).toBe(200);
  expect(await status(`${open.url}/api/status`, { host: '[::1]:80' })).toBe(200);
});

test('another origin is refused, with and without a body, streams too', async () => {
  const evil = { origin: 'https://evil.test' };
  expect(await status(`${open.url}/api/events`, evil)).toBe(403);
  expect(await status(`${open.url}/api/sessions/x/reset`, evil, 'POST')).toBe(403);
  expect(await status(`${open.url}/api/chat`, { origin: 'null' }, 'POST')).toBe(403);
  expect(await status(`${open.url}/api/status`, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status(`${open.url}/api/status`, { origin: open.url })).toBe(200);
  // A page on another port of this machine is another origin.
  expect(await status(`${open.url}/api/status`, { origin: 'http://127.0.0.1:1' })).toBe(403);
});

test('a token is asked of the API and the metrics, and of nothing else', async () => {
  const anyone = clientOf(locked.url);
  for (const path of ['/api/status', '/api/sessions', '/api/events', '/metrics']) {
    const answer = await anyone.request('GET', path);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect((await problemOf(answer)).code).toBe('unauthorized');
  }
  expect((await anyone.request('POST', '/api/chat', { text: 'hi' })).status).toBe(401);
  expect((await anyone.request('GET', '/healthz')).status).toBe(200);
  expect((await anyone.request('GET', '/openapi.json')).status).toBe(200);
  for (const wrong of ['Bearer wrong', `Bearer ${token}x`, `Basic ${token}`, 'Bearer ', token]) {
    const answer = await anyone.request('GET', '/api/status', undefined, { authorization: wrong });
    expect(answer.status).toBe(401);
  }
  const trusted = clientOf(locked.url, { authorization: `Bearer ${token}` });
  expect((await trusted.get('/api/status')).model.offline).toBe(true);
  expect(locked.errors()).not.toContain(token);
});

test('a token of few rights does what it is for, and is told what it lacks', async () => {
  const home = temporaryFolder();
  const file = join(home, 'holdfast.config.json');
  writeFileSync(
    file,
    JSON.stringify({
      gateway: {
        tokens: [
          { name: 'viewer', token_env: 'VIEWER', scopes: ['read'] },
          { name: 'bot', token_env: 'BOT', scopes: ['chat'] },
          { name: 'keeper', token_env: 'KEEPER', scopes: ['admin'] },
        ],
      },
    }),
  );
  const secrets = { VIEWER: 'viewer-secret-1', BOT: 'bot-secret-22', KEEPER: 'keeper-secret-3' };
  const program = await startProgram(home, { ...secrets, HOLDFAST_CONFIG: file });
  try {
    const as = (secret: string) => clientOf(program.url, { authorization: `Bearer ${secret}` });
    const viewer = as(secrets.VIEWER);
    const bot = as(secrets.BOT);
    const keeper = as(secrets.KEEPER);
    expect((await clientOf(program.url).request('GET', '/api/sessions')).status).toBe(401);
    expect((await bot.post('/api/chat', { text: 'Hello', session: 'desk' })).reply).toContain('Hello');
    expect((await viewer.get('/api/sessions')).sessions).toHaveLength(1);
    expect((await keeper.post('/api/sessions/desk/reset')).session.title).toBe('desk');
    for (const [client, method, path] of [
      [viewer, 'POST', '/api/sessions/desk/reset'],
      [viewer, 'DELETE', '/api/sessions/desk'],
      [viewer, 'POST', '/api/chat'],
      [bot, 'GET', '/api/sessions'],
      [bot, 'GET', '/api/events'],
      [bot, 'POST', '/api/sessions/desk/clear'],
    ] as const) {
      const answer = await client.request(method, path, method === 'POST' ? {} : undefined);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await problemOf(answer)).toMatchObject({
        code: 'scope_missing',
        message: expect.stringMatching(/^The token "\w+" has not the scope \w+; it has \w+\.$/),
      });
    }
    for (const secret of Object.values(secrets)) expect(program.errors()).not.toContain(secret);
  } finally {
    await program.end();
  }
});

test('what is changed is kept with the name of who changed it, newest first', async () => {
  const client = clientOf(open.url);
  await client.post('/api/chat', { text: 'Hello', session: 'ledger' });
  await client.post('/api/sessions/ledger/rename', { title: 'Ledger of May' });
  await client.request('POST', '/api/sessions/nowhere/archive');
  const answer = await client.request('GET', '/api/audit?limit=2');
  const { entries } = (await answer.json()) as { entries: readonly Record<string, unknown>[] };
  expect(entries).toEqual([
    {
      at: expect.stringMatching(/Z$/),
      who: 'local',
      action: 'POST /api/sessions/{key}/archive',
      target: { key: 'nowhere' },
      status: 404,
    },
    expect.objectContaining({
      action: 'POST /api/sessions/{key}/rename',
      target: { key: 'ledger' },
      status: 200,
    }),
  ]);
});

test('what has not changed is not sent again', async () => {
  const client = clientOf(open.url);
  await client.post('/api/chat', { text: 'Hello', session: 'still' });
  for (const path of ['/api/sessions', '/api/sessions/still', '/api/sessions/still/messages']) {
    const first = await client.request('GET', path);
    const mark = first.headers.get('etag') ?? '';
    expect(mark).toMatch(/^"/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await client.request('GET', path, undefined, { 'if-none-match': mark });
    expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
  }
  await client.post('/api/sessions/still/rename', { title: 'Moved' });
  const after = await client.request('GET', '/api/sessions/still', undefined, { 'if-none-match': '"old"' });
  expect(after.status).toBe(200);
});

test('who guesses tokens has to wait, and who asks too often too', async () => {
  const home = temporaryFolder();
  const file = join(home, 'holdfast.config.json');
  writeFileSync(file, JSON.stringify({ gateway: { requests_per_minute: 5 } }));
  const program = await startProgram(home, { HOLDFAST_CONFIG: file, HOLDFAST_TOKEN: token });
  try {
    const trusted = { authorization: `Bearer ${token}` };
    const statuses = async (times: number, headers: Record<string, string>) => {
      const seen: number[] = [];
      for (let index = 0; index < times; index += 1) {
        seen.push(await status(`${program.url}/api/status`, headers));
      }
      return seen;
    };
    expect(await statuses(6, trusted)).toEqual([200, 200, 200, 200, 200, 429]);
    const wrong = { authorization: 'Bearer wrong' };
    expect(await statuses(21, wrong)).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    const refused = await clientOf(program.url, trusted).request('GET', '/api/status');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await problemOf(refused)).code).toBe('too_many_wrong_tokens');
    expect(await status(`${program.url}/healthz`, {})).toBe(200);
  } finally {
    await program.end();
  }
});

test('a token that cannot be used is a fault of the configuration, by its place', async () => {
  const home = temporaryFolder();
  const file = join(home, 'holdfast.config.json');
  const tokens = [
    { name: 'a', token_env: 'MISSING', scopes: ['read'] },
    { name: 'b', token_env: 'SHORT', scopes: ['read'] },
    { name: 'c', token_env: 'GOOD', scopes: ['read'] },
    { name: 'd', token_env: 'GOOD', scopes: ['chat'] },
  ];
  writeFileSync(file, JSON.stringify({ gateway: { tokens } }));
  const answer = await holdfast(home, ['config', 'check', '--config', file], {
    environment: { SHORT: 'short', GOOD: 'long-enough-1' },
  });
  expect(answer.code).toBe(1);
  expect(answer.stderr).toContain('gateway.tokens[0].token_env: the environment variable MISSING is not set');
  expect(answer.stderr).toContain(
    'gateway.tokens[1].token_env: the token in SHORT is shorter than 8 characters',
  );
  expect(answer.stderr).toContain(
    'gateway.tokens[3].token_env: the token in GOOD is that of another name too',
  );
});

test('answers carry the headers that keep a page harmless', async () => {
  const answer = await fetch(`${open.url}/healthz`);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await fetch(`${open.url}/api/status`)).headers.get('cache-control')).toBe('no-store');
});

test('an address that others can reach is refused without a token', async () => {
  const answer = await holdfast(temporaryFolder(), ['start'], { environment: { HOLDFAST_HOST: '0.0.0.0' } });
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toMatch(/^HOLDFAST_HOST: 0\.0\.0\.0 can be reached by others.*HOLDFAST_TOKEN.*\n$/);
});
