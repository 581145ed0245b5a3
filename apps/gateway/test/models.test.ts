import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { events, openai, provider } from './support/model-provider.js';
import { startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const KEY = 'sk-test-5up3r-s3cr3t';

const anthropic = events(
  {
    type: 'message_start',
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'From afar.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 4 },
  },
  { type: 'message_stop' },
);
const google = events({
  candidates: [{ content: { role: 'model', parts: [{ text: 'From afar.' }] }, finishReason: 'STOP' }],
});

async function gatewayOver(models: unknown, environment: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ models }));
  const gateway = await startProgram(folder, environment);
  onTestFinished(async () => void (await gateway.end()));
  return { gateway, client: clientOf(gateway.url) };
}

test.each([
  ['openai', openai, 'OPENAI_API_KEY', '/v1/chat/completions', 'authorization'],
  ['openai-compatible', openai, 'OPENAI_API_KEY', '/v1/chat/completions', 'authorization'],
  ['anthropic', anthropic, 'ANTHROPIC_API_KEY', '/v1/messages', 'x-api-key'],
  [
    'google',
    google,
    'GOOGLE_GENERATIVE_AI_API_KEY',
    '/v1/models/m:streamGenerateContent?alt=sse',
    'x-goog-api-key',
  ],
] as const)(
  '%s answers from the configured address with the key of the environment',
  async (name, answer, variable, path, header) => {
    const { asked, url } = await provider(answer);
    const models = { default: `${name}:m`, providers: { [name]: { base_url: url } } };
    const { client } = await gatewayOver(models, { [variable]: KEY });
    expect(await client.post('/api/chat', { text: 'how far away are you?' })).toMatchObject({
      reply: 'From afar.',
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.path).toBe(path);
    expect(asked[0]?.headers[header]).toContain(KEY);
    expect(asked[0]?.body).toContain('how far away are you?');
    expect((await client.get('/api/status')).model).toMatchObject({ id: `${name}:m`, offline: false });
  },
);

test('an address and a name in the environment are enough', async () => {
  const { asked, url } = await provider(openai);
  const { client } = await gatewayOver({}, { OPENAI_BASE_URL: url, HOLDFAST_MODEL: 'llama' });
  expect((await client.post('/api/chat', { text: 'hello' })).reply).toBe('From afar.');
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ model: 'llama', stream: true });
});

test('a provider that refuses is an error without the key in it, and the gateway lives on', async () => {
  const { url } = await provider((response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        error: { message: `Incorrect API key provided: ${KEY}`, type: 'invalid_request_error' },
      }),
    );
  });
  const models = { default: 'openai-compatible:m', providers: { 'openai-compatible': { base_url: url } } };
  const { client, gateway } = await gatewayOver(models, { OPENAI_API_KEY: KEY });
  const answer = await client.request('POST', '/api/chat', { text: 'hello' }, { accept: 'application/json' });
  expect(answer.status).toBe(502);
  const shown = await answer.text();
  expect(JSON.parse(shown).error.code).toBe('model_failed');
  expect(shown).not.toContain(KEY);
  expect(gateway.errors()).not.toContain(KEY);
  expect((await client.get('/healthz')).status).toBe('ok');
});

test('a model that says nothing times out, and the next message is answered', async () => {
  const { client } = await gatewayOver({ timeout_seconds: 0.5 }, {});
  const answer = await client.request(
    'POST',
    '/api/chat',
    { text: '/silent' },
    { accept: 'application/json' },
  );
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { code: 'model_timeout' } });
  expect((await client.post('/api/chat', { text: 'hello' })).reply).toContain('You said: hello');
});
