import { describe, expect, it, onTestFinished } from 'vitest';
import { receive } from '../src/receive.js';
import { surfaceContext } from '../src/surface-context.js';
import { clientOf, collect } from './support/client.js';
import { gatewayHere } from './support/gateway-here.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const asked = 'what did I say?';

describe.each(['jsonl', 'sqlite'])('over %s', (store) => {
  it('/new closes the conversation, and nothing of it reaches the model or is lost', async () => {
    const here = await gatewayHere({ store });
    const { key } = await here.say('the old plan');
    expect((await here.say('/new')).reply).toContain('A new conversation begins.');
    expect((await here.say(asked)).reply).toContain('Nothing yet');
    expect(await here.active(key)).toHaveLength(2);
    expect((await here.gateway.backend.meta(key))?.segments).toHaveLength(1);
    const all = await here.gateway.backend.read(key, { segment: 'all' });
    expect(all.map(({ content }) => content)).toContain('the old plan');
  });

  it('an answer stands in the timeline and never before the model, wherever in the conversation', async () => {
    const here = await gatewayHere({ store });
    const { key } = await here.say('/help');
    expect((await here.gateway.backend.meta(key))?.activeCount).toBe(0);
    await here.say('hello');
    await here.say('/status');
    expect((await here.say(asked)).reply).toBe('In this session you said:\n\n1. hello');
    const { body } = await here.request(`/api/sessions/${key}/messages?segment=all`);
    const shown = body.messages.map(({ content }) => content.split('\n')[0]);
    expect(shown.filter((line) => line?.startsWith('>'))).toEqual(['> /help', '> /status']);
    const { userTurns } = (await here.gateway.backend.meta(key)) ?? {};
    expect(userTurns).toBe(2);
  });
});

it('words behind /new are the first of the new conversation', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('before');
  expect((await here.say('/reset hello again')).reply).toContain('You said: hello again');
  expect((await here.active(key))[0]).toBe('user: hello again');
});

it('an unknown command is answered and not sent to the model, what the model declares is', async () => {
  const here = await gatewayHere();
  expect((await here.say('/dance with me')).reply).toContain('There is no command /dance.');
  expect((await here.say('/slow 0 boats')).reply).toContain('boats');
  expect((await here.say('/help')).reply).toContain('The model itself understands /slow');
  expect((await here.say(' /dance with me')).reply).toContain('You said: /dance with me');
});

it('a command that is repeated is carried out once', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('one');
  const first = await here.say('/new two', { id: 'm1' });
  const again = await Promise.all([1, 2].map(() => here.say('/new two', { id: 'm1' })));
  expect(again.map(({ reply }) => reply)).toEqual([first.reply, first.reply]);
  expect((await here.gateway.backend.meta(key))?.segments).toHaveLength(1);
  const all = await here.gateway.backend.read(key, { segment: 'all' });
  expect(all.filter(({ content }) => content === 'two')).toHaveLength(1);
});

it('an id leads to one answer, and never to that of another message', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('one', { id: 'said' });
  const together = await Promise.all([1, 2, 3].map(() => here.say('/status', { id: 'm1' })));
  expect(new Set(together.map(({ reply }) => reply)).size).toBe(1);
  expect(await here.active(key)).toHaveLength(3);
  await expect(here.say('/status', { id: 'said' })).rejects.toThrow('give this one its own');
  // Long done: a repetition does not lead back.
  await here.say('/switch trip', { id: 'm2' });
  await here.say('/switch back');
  await here.say('/switch trip', { id: 'm2' });
  expect((await here.say('and on')).key).toBe(key);
});

it('a reset whose answer was stored when the process died is done when it is asked again', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('one');
  const { backend } = here.gateway;
  const dying = {
    ...here.gateway,
    backend: { ...backend, reset: () => Promise.reject(new Error('Killed.')) },
  };
  const message = { context: surfaceContext('cli'), text: '/new', id: 'm1' };
  await expect(receive(dying, message)).rejects.toThrow('Killed.');
  expect((await here.active(key)).length).toBeGreaterThan(0);
  await here.say('/new', { id: 'm1' });
  expect(await here.active(key)).toEqual([]);
});

it('/stop ends what runs, and a later turn is not stopped by it', async () => {
  const here = await gatewayHere();
  expect((await here.say('/stop')).reply).toBe('Nothing is running here.');
  const turn = await receive(here.gateway, { context: surfaceContext('cli'), text: '/slow 60 stop me' });
  await turn.accepted;
  expect((await here.say('/stop')).reply).toBe('Stopped.');
  expect((await turn.outcome).status).toBe('stopped');
  expect((await here.say('go on')).reply).toContain('You said: go on');
});

it('/new stops what runs, and what was said before stays before', async () => {
  const here = await gatewayHere();
  const turn = await receive(here.gateway, { context: surfaceContext('cli'), text: '/slow 60 stop me' });
  await turn.accepted;
  await here.say('/new after');
  expect((await turn.outcome).status).toBe('stopped');
  const lines = await here.active(turn.sessionKey);
  expect(lines[0]).toBe('user: after');
  expect(lines.join()).not.toContain('stop me');
});

it('/sessions lists earlier conversations, and /switch goes on with one', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('apples');
  await here.say('/new pears');
  await here.say('/new plums');
  expect((await here.say('/sessions')).reply).toMatch(/1\. until .*: pears\n2\. until .*: apples/);
  expect((await here.say('/switch 9')).reply).toContain('no earlier conversation 9');
  expect((await here.say('/switch 2')).reply).toContain('You go on with the conversation');
  expect((await here.say(asked)).reply).toBe('In this session you said:\n\n1. apples');
  // It was copied: where it was, it still is.
  const all = await here.gateway.backend.read(key, { segment: 'all' });
  expect(all.filter(({ content }) => content === 'apples').map(({ meta }) => meta ?? {})).toEqual([
    {},
    { copiedFrom: expect.any(Number) },
  ]);
});

it('/switch begins conversations by name, each of its chat alone, and leads back', async () => {
  const here = await gatewayHere();
  const ann = { context: { channel: 'slack', chatType: 'direct', chatId: 'D1', senderId: 'ann' } };
  const bob = { context: { channel: 'slack', chatType: 'direct', chatId: 'D2', senderId: 'bob' } };
  const usual = await here.say('usual', ann);
  expect((await here.say('/switch Trip', ann)).reply).toContain('“Trip” now (it is new)');
  const trip = await here.say('to the sea', ann);
  expect(trip.key).not.toBe(usual.key);
  await here.say('/switch trip', bob);
  expect((await here.say(asked, bob)).reply).toContain('Nothing yet');
  expect((await here.say('/switch back', ann)).reply).toContain('back in the usual');
  expect((await here.say('and on', ann)).key).toBe(usual.key);
  expect((await here.say('/sessions', ann)).reply).toContain('“Trip”');
  await here.say('/switch TRIP', ann);
  expect((await here.say(asked, ann)).reply).toContain('to the sea');
  expect((await here.say('/switch other', { session: 'named' })).reply).toContain('choose another there');
});

it('/title, /status and /model speak of this conversation', async () => {
  const models = {
    default: 'offline',
    providers: { 'openai-compatible': { base_url: 'http://127.0.0.1:9/v1' } },
  };
  const agents = {
    list: [
      { id: 'main', default: true },
      { id: 'big', model: 'openai-compatible:large' },
    ],
  };
  const here = await gatewayHere({ models, agents });
  const { key } = await here.say('/title Tea time');
  expect(await here.gateway.backend.meta(key)).toMatchObject({ title: 'Tea time' });
  expect((await here.say('/title')).reply).toBe('Tea time');
  expect((await here.say('/model nonsense')).reply).toContain('There are: offline, openai-compatible:large.');
  expect((await here.say('/model large')).reply).toContain('openai-compatible:large answers');
  expect((await here.say('/status')).reply).toMatch(
    /Session: Tea time\nAgent: main, model openai-compatible:large\n/,
  );
  // A command that only the offline model knows is unknown now.
  expect((await here.say('/slow 0 boats')).reply).toContain('There is no command /slow.');
  expect((await here.say('/new offline')).reply).toContain('offline answers from now on');
  expect((await here.say('/model')).reply).toContain('offline answers here.');
});

it('/compact puts what is older into a summary', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('one');
  expect((await here.say('/compact')).reply).toContain('nothing to put into a summary');
  await here.say('two');
  await here.say('three');
  expect((await here.say('/compact')).reply).toContain('became a summary');
  const { summary, messageCount } = (await here.gateway.backend.meta(key)) ?? {};
  expect([summary, messageCount]).not.toContain('');
  expect((await here.active(key))[0]).toBe('user: two');
});

it('in a group only those who are named change what all share', async () => {
  const here = await gatewayHere({ chat_commands: { admins: ['slack:ann'] } });
  const of = (senderId: string) => ({
    context: { channel: 'slack', chatType: 'group', chatId: 'C1', senderId },
  });
  const { key } = await here.say('hello all', of('bob'));
  expect((await here.say('/reset', of('bob'))).reply).toContain('shared with others');
  expect((await here.gateway.backend.meta(key))?.segments).toEqual([]);
  expect((await here.say('/status', of('bob'))).reply).toContain('Messages:');
  expect((await here.say('/reset', of('ann'))).reply).toContain('A new conversation begins');
  expect((await here.gateway.backend.meta(key))?.segments).toHaveLength(1);
});

it('what a job says is no command', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('hello');
  expect((await here.say('/new', { meta: { origin: 'schedule' } })).reply).toContain('You said: /new');
  expect((await here.gateway.backend.meta(key))?.segments).toEqual([]);
});

it('over HTTP a command is answered as a turn is', async () => {
  const here = await gatewayHere();
  const body = { text: '/status', session: 'mine', id: 'first' };
  const { body: answer } = await here.request('/api/chat', { method: 'POST', body });
  expect(answer.reply).toContain('Session: mine');
  expect(answer.messages).toMatchObject([{ role: 'assistant', seq: 1, meta: { command: '/status' } }]);
  const inbound = { context: { channel: 'irc', chat_type: 'direct', chat_id: 'x' }, text: '/help' };
  const told = await here.request('/api/inbound', { method: 'POST', body: inbound });
  expect(told.body.reply).toContain('/switch');
});

it('who looks at the session sees the answer come', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('hello');
  const told: unknown[] = [];
  here.gateway.feed.subscribe({
    tell(event) {
      if (event.name === 'message') told.push([event.payload.session_key, event.payload.message.content]);
    },
    end: () => {},
  });
  const { reply } = await here.say('/start');
  expect(reply).toContain('/help: lists the commands');
  expect(told).toEqual([[key, `> /start\n\n${reply}`]]);
});

it('as a stream it is told like a turn, and the timeline shows it where it was told', async () => {
  const gateway = await startProgram(temporaryFolder());
  onTestFinished(async () => void (await gateway.end()));
  const client = clientOf(gateway.url);
  const events = await collect(client.chat({ text: '/status', session: 'mine', id: 'first' }));
  expect(events.map(({ event }) => event)).toEqual(['accepted', 'token', 'message', 'done']);
  const [accepted, , message, done] = events.map(({ data }) => data);
  expect(accepted).toMatchObject({ seq: 1, id: 'first' });
  expect(message?.message).toMatchObject({
    seq: 1,
    id: 'first',
    content: expect.stringMatching(/^> \/status\n\n/),
  });
  expect(done).toMatchObject({ status: 'done', reply: expect.stringContaining('Session: mine') });
  expect(await client.messages('mine', 'all')).toEqual([message?.message]);
});

it('from the terminal', async () => {
  const folder = temporaryFolder();
  const { stdout, code } = await holdfast(folder, ['chat'], { input: 'hello\n/new\nwhat did I say?\n' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/A new conversation begins.*\n.*Nothing yet/);
  const shown = await holdfast(folder, ['sessions', 'list', '--json']);
  const [{ key }] = JSON.parse(shown.stdout);
  expect((await holdfast(folder, ['sessions', 'show', key, '--all'])).stdout).toContain('> /new');
});
