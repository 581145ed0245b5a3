import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type GatewayHere, gatewayHere } from './support/gateway-here.js';
import { temporaryFolder } from './support/temporary-folder.js';

it.each(['jsonl', 'sqlite'])(
  'AGENT.md begins each conversation, over %s, and a new one is as it is then',
  async (store) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'agent'));
    const file = join(folder, 'agent', 'AGENT.md');
    writeFileSync(file, 'You are a gardener.');
    const here = await gatewayHere({ store }, folder);
    const { key } = await here.say('hello');
    expect((await shown(here, key)).slice(0, 2)).toEqual(['system: You are a gardener.', 'user: hello']);
    writeFileSync(file, 'You are a cook.');
    await here.gateway.backend.reset(key);
    await here.say('hello again');
    expect((await shown(here, key))[0]).toBe('system: You are a cook.');
  },
);

it('a missing one is made, each agent has its own, and it is given again in time', async () => {
  const here = await gatewayHere({
    gateway: { agent_prompt_reinject_every: 2 },
    agents: { list: [{ id: 'main', default: true }, { id: 'cook' }] },
  });
  const { key } = await here.say('one');
  await here.say('two');
  await here.say('three');
  const profile = readFileSync(join(here.folder, 'agent', 'AGENT.md'), 'utf8').trim();
  const lines = (await shown(here, key)).filter((line) => !line.startsWith('assistant'));
  expect(lines).toEqual([
    `system: ${profile}`,
    'user: one',
    'user: two',
    `system: ${profile}`,
    'user: three',
  ]);
  await here.say('hello', { agent: 'cook', session: 'kitchen' });
  expect(existsSync(join(here.folder, 'agent', 'cook', 'AGENT.md'))).toBe(true);
});

it('there is none where nothing says so', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('hello');
  expect((await shown(here, key))[0]).toBe('user: hello');
  expect(existsSync(join(here.folder, 'agent'))).toBe(false);
});

/** What is before the model, the agent's profile with it. */
async function shown(here: GatewayHere, key: string): Promise<readonly string[]> {
  return (await here.gateway.backend.read(key)).map(({ role, content }) => `${role}: ${content}`);
}
