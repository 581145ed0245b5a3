import { expect, it } from 'vitest';
import { type ChatAnswer, chatProvider } from './support/chat-provider.js';
import { gatewayHere } from './support/gateway-here.js';
import { holdfast } from './support/program.js';

const named = (name: string) => `openai-compatible:${name}`;
const agent = (more: object = {}) => ({
  list: [{ id: 'main', default: true, model: named('big'), ...more }],
});

it('the next model answers where one fails, and the message says which', async () => {
  const { providers, asked } = await chatProvider(({ model }) =>
    model === 'big' ? { status: 401, message: 'no key' } : `I am ${model}.`,
  );
  const here = await gatewayHere({
    models: { providers, fallbacks: [named('spare')] },
    agents: agent(),
  });
  const { reply, key } = await here.say('hello');
  expect(reply).toBe('I am spare.');
  const { body } = await here.request(`/api/sessions/${key}/messages`);
  expect(body.messages.at(-1)?.model_name).toBe(named('spare'));
  await here.say('again');
  expect(asked.map(({ model }) => model)).toEqual(['big', 'spare', 'spare']);
});

it('a light model answers what asks for little', async () => {
  const { providers } = await chatProvider(({ model }) => `I am ${model}.`);
  const here = await gatewayHere({
    models: { providers, light: named('small'), fallbacks: [] },
    agents: agent(),
  });
  expect((await here.say('hello')).reply).toBe('I am small.');
  expect((await here.say('Fix it:\n```js\nmain(\n```')).reply).toBe('I am big.');
});

it('what was taken stands with each answer, with the session, and in the terminal', async () => {
  const { providers } = await chatProvider(() => 'Here.');
  const price = { input_per_million: 2, output_per_million: 10 };
  const here = await gatewayHere({
    models: { providers, known: { [named('big')]: { price } } },
    agents: agent(),
  });
  const { key } = await here.say('one');
  await here.say('two');
  const { body } = await here.request(`/api/sessions/${key}/messages`);
  expect(body.messages.at(-1)?.usage).toMatchObject({
    input_tokens: 100,
    output_tokens: 10,
    total_tokens: 110,
    cost: 0.0003,
  });
  const shown = await here.request(`/api/sessions/${key}`);
  expect(shown.body).toMatchObject({
    session: { usage: { input_tokens: 200, output_tokens: 20, cost: 0.0006 } },
  });
  const { stdout } = await holdfast(here.folder, ['sessions', 'show', key]);
  expect(stdout).toContain('200 tokens in, 20 out, cost 0.0006');
});

it('a long conversation goes on over its summary', async () => {
  const { providers, asked } = await chatProvider(({ messages }): ChatAnswer => {
    const isSummary = String(messages[0]?.content).startsWith('You keep the memory of a conversation');
    return isSummary ? 'They counted.' : 'Yes.';
  });
  const here = await gatewayHere({
    models: { providers },
    context: { summarise_at_messages: 6, keep_messages: 2 },
    agents: agent(),
  });
  let key = '';
  for (const number of [1, 2, 3, 4, 5]) key = (await here.say(`number ${number}`)).key;
  expect(await here.gateway.backend.meta(key)).toMatchObject({ summary: 'They counted.' });
  expect(JSON.stringify(asked.at(-1))).toContain('They counted.');
  expect(JSON.stringify(asked.at(-1))).not.toContain('number 1');
});

it('the offline model summarises too: it keeps what was said', async () => {
  const here = await gatewayHere({ context: { summarise_at_messages: 6, keep_messages: 2 } });
  for (const number of [1, 2, 3, 4, 5]) await here.say(`number ${number}`);
  const { key } = await here.say('what did I say?');
  expect((await here.gateway.backend.meta(key))?.summary).toContain('- number 1');
});
