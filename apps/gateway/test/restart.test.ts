import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, collect } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

test('after a kill all that was acknowledged is there, the broken turn is interrupted, the next one is answered', async () => {
  const folder = temporaryFolder();
  const first = await startProgram(folder);
  onTestFinished(async () => void (await first.end('SIGKILL')));
  const before = clientOf(first.url);
  for (const text of ['one', 'two']) await before.post('/api/chat', { text, session: 'killed' });
  let shown = '';
  const broken = (async () => {
    for await (const { event, data } of before.chat({ text: '/slow 10 three', session: 'killed' })) {
      if (event !== 'token') continue;
      shown += data.text;
      if (shown.split(' ').length === 5) first.child.kill('SIGKILL');
    }
  })();
  await expect(broken).rejects.toThrow();
  await first.end('SIGKILL');

  const second = await startProgram(folder);
  onTestFinished(async () => void (await second.end('SIGKILL')));
  const after = clientOf(second.url);
  const { session } = await after.get('/api/sessions/killed');
  expect(session.turn).toBe('interrupted');
  const messages = await after.messages('killed');
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(messages[4]?.content).toBe('/slow 10 three');
  expect(messages[5]?.meta?.status).toBe('interrupted');
  const next = await after.post('/api/chat', { text: 'four', session: 'killed' });
  expect(next.reply).toContain('You said: four');
  expect((await after.get('/api/sessions/killed')).session.turn).toBe('idle');
});

test('a graceful end lets short turns finish, interrupts long ones, and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const gateway = await startProgram(folder);
  const client = clientOf(gateway.url);
  const short = collect(client.chat({ text: '/slow 1 short', session: 'short' }));
  const long = collect(client.chat({ text: '/slow 90 long', session: 'long' }));
  await expect.poll(async () => (await client.get('/api/sessions/long')).session?.turn).toBe('running');
  await expect.poll(async () => (await client.get('/api/sessions/short')).session?.turn).toBe('running');
  expect(await gateway.end('SIGTERM')).toBe(0);
  expect((await short).at(-1)).toMatchObject({ event: 'done', data: { status: 'done' } });
  expect((await long).at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } });
  expect(existsSync(join(folder, 'data/.holdfast/gateway/gateway.json'))).toBe(false);
  expect(readdirSync(join(folder, 'data/.holdfast/gateway/turns'))).toEqual([]);
  const shown = await holdfast(folder, ['sessions', 'show', 'long', '--json']);
  expect(JSON.parse(shown.stdout).messages.at(-1).meta.status).toBe('interrupted');
});

test('a second signal ends it at once', async () => {
  const gateway = await startProgram(temporaryFolder());
  const client = clientOf(gateway.url);
  const turn = collect(client.chat({ text: '/slow 90 long', session: 'long' })).catch(() => 'cut');
  await expect.poll(async () => (await client.get('/api/sessions/long')).session?.turn).toBe('running');
  gateway.child.kill('SIGINT');
  await expect.poll(() => gateway.errors()).toContain('The gateway stops');
  expect(await gateway.end('SIGINT')).toBe(1);
  expect(await turn).toBe('cut');
});

test('a second gateway on the folder, a port in use, an unusable data folder: one clear line each', async () => {
  const folder = temporaryFolder();
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  const second = await holdfast(folder, ['start'], { environment: { HOLDFAST_PORT: '0' } });
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(lines(second.stderr)).toEqual([
    expect.stringMatching(new RegExp(`in use by process ${gateway.child.pid}`)),
  ]);

  const { port } = new URL(gateway.url);
  const elsewhere = temporaryFolder();
  const taken = await holdfast(elsewhere, ['start'], { environment: { HOLDFAST_PORT: port } });
  expect(taken).toMatchObject({ code: 1, stdout: '' });
  expect(lines(taken.stderr)).toEqual([expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)]);

  // A file where the folder should be: no user, however mighty, can write into it.
  writeFileSync(join(elsewhere, 'file'), '');
  const unusable = await holdfast(elsewhere, ['start'], {
    environment: { HOLDFAST_DATA: join(elsewhere, 'file/data'), HOLDFAST_PORT: '0' },
  });
  expect(unusable).toMatchObject({ code: 1, stdout: '' });
  expect(lines(unusable.stderr)).toEqual([
    `The data folder ${join(elsewhere, 'file/data')} cannot be written (ENOTDIR). Set HOLDFAST_DATA to a folder that this user may write.`,
  ]);

  const client = clientOf(gateway.url);
  expect((await client.post('/api/chat', { text: 'still here?' })).reply).toContain('still here?');
});

test('a gateway that cannot say where it listens ends, and lets go of its folder', async () => {
  const folder = temporaryFolder();
  const note = join(folder, 'data/.holdfast/gateway/gateway.json');
  mkdirSync(note, { recursive: true });
  const refused = await holdfast(folder, ['start'], { environment: { HOLDFAST_PORT: '0' } });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(lines(refused.stderr)).toEqual([
    expect.stringMatching(/^The data folder .+ cannot be written \(\w+\)\. Set HOLDFAST_DATA/),
  ]);
  expect(readdirSync(join(note, '..')).toSorted()).toEqual(['gateway.json', 'holdfast.sqlite', 'turns']);
  rmdirSync(note);
  const gateway = await startProgram(folder);
  expect(await gateway.end()).toBe(0);
});

test('a stale note of an address does not lead the terminal astray', async () => {
  const folder = temporaryFolder();
  const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const state = join(folder, 'data/.holdfast/gateway');
  mkdirSync(state, { recursive: true });
  writeFileSync(
    join(state, 'gateway.json'),
    JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: 1, started_at: '2026-01-01T00:00:00.000Z' }),
  );
  const answer = await holdfast(folder, ['chat', 'hello']);
  expect(answer.code).toBe(0);
  expect(answer.stdout).toContain('You said: hello');
});

function lines(text: string): string[] {
  return text.trimEnd().split('\n');
}
