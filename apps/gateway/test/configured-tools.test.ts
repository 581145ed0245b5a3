import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type ChatAnswer, chatProvider } from './support/chat-provider.js';
import { gatewayHere } from './support/gateway-here.js';

const agents = { list: [{ id: 'main', default: true, model: 'openai-compatible:m' }] };
const server = fileURLToPath(new URL('./support/mcp-stdio-server.mjs', import.meta.url));

/** Calls the tool once after each message of the person, and says what it gave. */
async function caller(call: string, input: unknown) {
  return chatProvider(({ messages }): ChatAnswer => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? `It said: ${String(last.content)}` : { call, input };
  });
}

it('files of a folder are written and read, and nothing beside it', async () => {
  const { providers, asked } = await caller('write_file', { path: 'notes/a.md', content: 'tea' });
  const here = await gatewayHere({
    models: { providers },
    agents,
    tools: { files: { folder: 'workspace' } },
  });
  expect((await here.say('note it')).reply).toBe('It said: Written: notes/a.md (3 bytes).');
  expect(readFileSync(join(here.folder, 'workspace/notes/a.md'), 'utf8')).toBe('tea');
  const offered = asked[0]?.tools?.map((tool) => tool.function.name);
  expect(offered).toEqual(
    expect.arrayContaining(['session_search', 'list_files', 'read_file', 'write_file']),
  );
  expect(offered).not.toContain('web_fetch');
});

it('a tool that needs permission is asked for in the chat', async () => {
  const { providers } = await caller('write_file', { path: 'a.md', content: 'tea' });
  const here = await gatewayHere({
    models: { providers },
    agents,
    tools: { files: { folder: 'workspace' }, permissions: { 'write_*': 'ask' } },
  });
  expect((await here.say('note it')).reply).toContain('May I run `write_file`');
  expect(existsSync(join(here.folder, 'workspace/a.md'))).toBe(false);
  expect((await here.say('yes')).reply).toContain('Written: a.md');
  expect(readFileSync(join(here.folder, 'workspace/a.md'), 'utf8')).toBe('tea');
});

it('tools of a server are lent; those that may change something are asked for', async () => {
  const mcp = { near: { command: process.execPath, args: [server] }, away: { command: '/nowhere' } };
  const { providers } = await caller('near_echo', { text: 'hello' });
  const here = await gatewayHere({ models: { providers }, agents, tools: { mcp } });
  expect((await here.say('echo')).reply).toContain('It said: echo: hello');
  const changing = await caller('near_fail', {});
  const there = await gatewayHere({ models: { providers: changing.providers }, agents, tools: { mcp } });
  expect((await there.say('fail')).reply).toContain('May I run `near_fail`');
  expect((await there.say('yes')).reply).toBe('It said: near_fail failed: It does not work.');
});

it('pages are read where it is allowed, and not from here', async () => {
  const { providers, url } = await caller('web_fetch', { url: 'http://127.0.0.1:1/' });
  const here = await gatewayHere({ models: { providers }, agents, tools: { web_fetch: true } });
  expect(url).toContain('127.0.0.1');
  expect((await here.say('fetch')).reply).toContain('127.0.0.1 is not on the public internet');
});

it('the search finds what the model no longer sees', async () => {
  const { providers } = await caller('session_search', { text: 'lighthouse' });
  const here = await gatewayHere({ models: { providers }, agents });
  await here.say('The lighthouse is red.');
  await here.say('/new');
  expect((await here.say('Find it.')).reply).toContain('Person: The lighthouse is red.');
});
