import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, collect } from './support/client.js';
import { type RunningProgram, startProgram } from './support/program.js';
import { keptFolder, removeFolder } from './support/temporary-folder.js';

const folder = keptFolder();
let gateway: RunningProgram;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await startProgram(folder);
  openai = new OpenAI({ apiKey: 'none', baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.end();
  removeFolder(folder);
});

const ask = (text: string) => ({ model: 'gpt-4o', messages: [{ role: 'user' as const, content: text }] });

test('chat completions remember what the same user said, and nobody else', async () => {
  await openai.chat.completions.create({ ...ask('I like tea'), user: 'ann' });
  const again = await openai.chat.completions.create({ ...ask('what did I say?'), user: 'ann' });
  expect(again.choices[0]?.message.content).toContain('1. I like tea');
  expect(again.choices[0]?.finish_reason).toBe('stop');
  const other = await openai.chat.completions.create({ ...ask('what did I say?'), user: 'bob' });
  expect(other.choices[0]?.message.content).toContain('Nothing yet');
  expect((await clientOf(gateway.url).get('/api/sessions/ann')).session.message_count).toBe(4);
});

test('a header names the session before the user, and a stream is the same answer in pieces', async () => {
  const options = { headers: { 'x-session-id': 'by header' } };
  const stream = await openai.chat.completions.create(
    { ...ask('hello'), user: 'ann', stream: true, stream_options: { include_usage: true } },
    options,
  );
  const chunks = await collect(stream);
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  expect(text).toContain('You said: hello');
  expect(chunks.length).toBeGreaterThan(3);
  expect(chunks.at(-1)?.usage).toBeDefined();
  const { session } = await clientOf(gateway.url).get('/api/sessions/by%20header');
  expect(session.message_count).toBe(2);
});

test('responses do both as well', async () => {
  const first = await openai.responses.create({ model: 'gpt-4o', input: 'I like tea', user: 'cid' });
  expect(first.output_text).toContain('You said: I like tea');
  const stream = openai.responses.stream({
    model: 'gpt-4o',
    input: [{ role: 'user', content: 'what did I say?' }],
    user: 'cid',
  });
  let text = '';
  for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
  expect(text).toContain('1. I like tea');
  expect((await stream.finalResponse()).output_text).toBe(text);
});

test('what goes wrong is an error of the library, and a repetition with its key is answered once', async () => {
  await expect(openai.chat.completions.create(ask('/fail'))).rejects.toMatchObject({ status: 502 });
  await expect(
    openai.chat.completions.create({ model: 'x', messages: [{ role: 'system', content: 'x' }] }),
  ).rejects.toMatchObject({ status: 400 });
  const once = { headers: { 'idempotency-key': 'k1' } };
  const one = await openai.chat.completions.create({ ...ask('once'), user: 'dan' }, once);
  const two = await openai.chat.completions.create({ ...ask('once'), user: 'dan' }, once);
  expect(two.choices[0]?.message.content).toBe(one.choices[0]?.message.content);
  expect((await clientOf(gateway.url).get('/api/sessions/dan')).session.message_count).toBe(2);
  expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(['main']);
});
