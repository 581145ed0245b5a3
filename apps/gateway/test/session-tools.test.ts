import { expect, it } from 'vitest';
import { type GatewayHere, gatewayHere } from './support/gateway-here.js';

const agents = { list: [{ id: 'main', default: true }, { id: 'other' }] };

/** Calls a tool as the agent of a session would. */
async function call(here: GatewayHere, sessionKey: string, name: string, input: object = {}) {
  const tool = here.gateway.agents.get('main').tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const context = { sessionKey, turnId: 'turn', signal: new AbortController().signal };
  return (await tool.execute(tool.inputSchema.parse(input), context)) as Record<string, unknown> & {
    readonly sessions: readonly { readonly title: string }[];
    readonly messages: readonly { readonly role: string; readonly text: string }[];
  };
}

async function speaking(reach: string) {
  const here = await gatewayHere({ agents, session: { agent_reach: reach } });
  const { key } = await here.say('hello', { session: 'mine' });
  await here.say('the key is blue', { session: 'theirs' });
  await here.say('good evening', { session: 'foreign', agent: 'other' });
  return { here, key };
}

it('an agent has no such tools unless the configuration says so', async () => {
  const here = await gatewayHere();
  const names = here.gateway.agents.get('main').tools.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('sessions_'))).toEqual([]);
});

it.each([
  ['own', ['mine']],
  ['agent', ['theirs', 'mine']],
  ['all', ['foreign', 'theirs', 'mine']],
])('with the reach %s it sees these, and others are as if they were not there', async (reach, titles) => {
  const { here, key } = await speaking(reach);
  const { sessions, reach: told } = await call(here, key, 'sessions_list');
  expect([told, sessions.map(({ title }) => title)]).toEqual([reach, titles]);
  for (const session of ['mine', 'theirs', 'foreign']) {
    const read = call(here, key, 'sessions_read', { session });
    const sent = call(here, key, 'sessions_send', { session, text: 'hi' });
    const attempts = await Promise.allSettled([read, sent]);
    if (titles.includes(session)) expect(attempts[0].status).toBe('fulfilled');
    else
      expect(attempts.map((each) => String(each.status === 'rejected' && each.reason))).toEqual([
        `Error: There is no session "${session}" that you may see. sessions_list lists those.`,
        `Error: There is no session "${session}" that you may see. sessions_list lists those.`,
      ]);
  }
});

it('it reads what was said, page by page, without the work of tools', async () => {
  const { here, key } = await speaking('agent');
  await here.say('what time is it?', { session: 'theirs' });
  const newest = await call(here, key, 'sessions_read', { session: 'theirs', limit: 3 });
  expect(newest).toMatchObject({
    has_more: true,
    messages: [{ role: 'assistant', text: expect.stringContaining('It is') }],
  });
  const whole = await call(here, key, 'sessions_read', { session: 'theirs', include_tools: true });
  expect(whole.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
  const before = await call(here, key, 'sessions_read', { session: 'theirs', before: newest.before });
  expect(before.messages[0]?.text).toBe('the key is blue');
  await here.gateway.backend.append(key, [{ role: 'user', content: 'x'.repeat(9000) }]);
  const long = await call(here, key, 'sessions_read', { session: 'mine' });
  expect(long.messages.at(-1)).toMatchObject({ is_cut: true, characters: 9000 });
});

it('it speaks to the agent of another session, as an agent and not as a person', async () => {
  const { here, key } = await speaking('agent');
  const answer = await call(here, key, 'sessions_send', { session: 'theirs', text: 'what did I say?' });
  expect(answer).toMatchObject({ state: 'done', reply: expect.stringContaining('the key is blue') });
  const theirs = await here.gateway.backend.resolve('theirs');
  const before = await here.gateway.backend.meta(theirs ?? '');
  const said = await here.gateway.backend.read(theirs ?? '');
  const asked = said.find(({ meta }) => meta?.origin === 'agent');
  expect(asked?.meta).toEqual({ origin: 'agent', from_session: key, from_agent: 'main', hops: 1 });
  expect(Date.parse(before?.interactionAt ?? '')).toBeLessThan(Date.parse(asked?.createdAt ?? ''));
  // A command is a person's.
  const sent = await call(here, key, 'sessions_send', { session: 'theirs', text: '/new' });
  expect(sent.reply).toContain('You said: /new');
  const slow = { session: 'theirs', text: '/slow 30 words', wait_seconds: 0 };
  expect(await call(here, key, 'sessions_send', slow)).toMatchObject({ state: 'accepted' });
  here.gateway.runtime.stop(theirs ?? '', 'The test has seen enough.');
  await expect(call(here, key, 'sessions_send', { session: 'mine', text: 'me' })).rejects.toThrow(
    'answer here',
  );
});

it('two agents that answer each other come to an end', async () => {
  const { here, key } = await speaking('agent');
  const hop = { origin: 'agent', hops: 3 };
  await here.gateway.backend.append(key, [{ role: 'user', content: 'and you?', meta: hop }]);
  await expect(call(here, key, 'sessions_send', { session: 'theirs', text: 'and you?' })).rejects.toThrow(
    'passed on 3 times',
  );
});
