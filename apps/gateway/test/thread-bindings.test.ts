import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from './support/client.js';
import { gatewayHere } from './support/gateway-here.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const HOUR = 3_600_000;
const agents = { list: [{ id: 'main', default: true }, { id: 'support' }] };
const thread = { channel: 'slack', chatType: 'channel', chatId: 'C1', topicId: '1.2', senderId: 'ann' };
const wire = { channel: 'slack', chat_type: 'channel', chat_id: 'C1', topic_id: '1.2' };

it('a thread that is bound to an agent is answered by it, in a session of its own, until it is released', async () => {
  const here = await gatewayHere({ agents });
  const usual = await here.say('hello', { context: thread });
  const bound = await here.request('/api/bindings', {
    method: 'POST',
    body: { context: wire, target: { agent: 'support' }, idle_hours: 2 },
  });
  expect(bound.status).toBe(200);
  const supported = await here.say('help me', { context: thread });
  expect(supported.key).not.toBe(usual.key);
  expect((await here.gateway.backend.meta(supported.key))?.agentId).toBe('support');
  // Beside the thread nothing has changed.
  const { topicId: _thread, ...chat } = thread;
  expect((await here.say('hello', { context: chat })).key).toBe(usual.key);
  here.aheadMs = 2.1 * HOUR;
  expect((await here.say('anyone?', { context: thread })).key).toBe(usual.key);
});

it('a thread that is bound to a session goes on there, and where it was when that is gone', async () => {
  const here = await gatewayHere({ agents });
  const usual = await here.say('hello', { context: thread });
  const { key } = await here.say('notes', { session: 'project' });
  const body = { context: wire, target: { session: 'Project' } };
  expect((await here.request('/api/bindings', { method: 'POST', body })).status).toBe(200);
  expect((await here.say('more notes', { context: thread })).key).toBe(key);
  await here.gateway.backend.delete(key);
  expect((await here.say('hello?', { context: thread })).key).toBe(usual.key);
});

it('what is not there cannot be bound to', async () => {
  const here = await gatewayHere({ agents });
  const bind = async (target: object) => {
    const { status, body } = await here.request('/api/bindings', {
      method: 'POST',
      body: { context: wire, target },
    });
    return [status, body.error.code];
  };
  expect(await bind({ agent: 'nobody' })).toEqual([400, 'unknown_agent']);
  expect(await bind({ session: 'nowhere' })).toEqual([404, 'session_not_found']);
  expect(await bind({})).toEqual([400, 'invalid_request']);
});

it('the command line lists, binds and releases, and everything is there after a restart', async () => {
  const folder = temporaryFolder();
  const first = await startProgram(folder);
  const args = [
    'bindings',
    'bind',
    'slack',
    '--chat',
    'channel:C1',
    '--chat-type',
    'channel',
    '--topic',
    '1.2',
  ];
  await clientOf(first.url).post('/api/chat', { text: 'notes', session: 'project' });
  const made = await holdfast(folder, [...args, '--session', 'project', '--idle-hours', '0', '--json']);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const { binding } = JSON.parse(made.stdout);
  expect(binding).toMatchObject({ place: { chat: 'channel:c1', topic: 'topic:1.2' }, expires_at: null });
  expect((await holdfast(folder, [...args, '--session', 'a', '--agent', 'b'])).code).toBe(2);
  expect((await holdfast(folder, [...args, '--session', 'nowhere'])).code).toBe(1);
  await first.end();

  // Without a gateway the file is looked at.
  expect(JSON.parse((await holdfast(folder, ['bindings', 'list', '--json'])).stdout)).toEqual([binding]);
  expect((await holdfast(folder, [...args, '--session', 'project'])).stderr).toContain('No gateway runs');
  const second = await startProgram(folder);
  onTestFinished(async () => void (await second.end()));
  const context = { ...wire, sender_id: 'ann' };
  const told = await clientOf(second.url).post('/api/inbound', { context, text: 'what did I say?' });
  expect(told.reply).toContain('notes');
  expect((await holdfast(folder, ['bindings', 'list'])).stdout).toContain(binding.id);
  expect((await holdfast(folder, ['bindings', 'release', binding.id])).code).toBe(0);
  expect((await holdfast(folder, ['bindings', 'release', binding.id])).code).toBe(1);
  expect((await holdfast(folder, ['bindings', 'list'])).stdout).toBe('Nothing is bound.\n');
});
