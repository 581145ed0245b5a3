import type { Job } from '@x/scheduler';
import { parseJobRequest } from '@x/scheduler';
import { expect, test } from 'vitest';
import { deliver } from '../src/jobs/deliver.js';
import { receive } from '../src/receive.js';
import { surfaceContext } from '../src/surface-context.js';
import { schedulerManageTool } from '../src/tools/scheduler-manage.js';
import { type GatewayHere, gatewayHere } from './support/gateway-here.js';

/** A busy machine is no failure. */
const patience = { timeout: 30_000 };
const later = { type: 'delay', seconds: 3600 };

async function ran({ gateway }: GatewayHere, request: object): Promise<Job> {
  const { id } = await gateway.jobs.create(parseJobRequest({ schedule: later, ...request }), 'test');
  await (await gateway.jobs.run(id)).done;
  return gateway.jobs.get(id);
}

test('an agent task is said and answered by the ordinary way, and is no person’s doing', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('hello', { session: 'notes' });
  const before = await here.gateway.backend.meta(key);
  const job = await ran(here, {
    kind: 'agent_task',
    target: { session: 'notes' },
    payload: { prompt: '/reset the clock', sender_id: 'scheduler', metadata: { trace: 'x1' } },
  });
  expect(job).toMatchObject({ lastStatus: 'ok', runCount: 1, state: 'scheduled' });
  const messages = await here.gateway.backend.read(key);
  // Words that would be a command from a person are words here.
  expect(messages.slice(-2)).toMatchObject([
    {
      role: 'user',
      content: '/reset the clock',
      meta: { origin: 'schedule', job_id: job.id, sender_id: 'scheduler', metadata: { trace: 'x1' } },
    },
    { role: 'assistant' },
  ]);
  const after = await here.gateway.backend.meta(key);
  expect(after?.userTurns).toBe(2);
  expect(after?.interactionAt).toBe(before?.interactionAt);
});

test('a fresh session waits for the running turn, then begins anew, with its instructions before the prompt', async () => {
  const here = await gatewayHere();
  const { key } = await here.say('hello', { session: 'notes' });
  const slow = await receive(here.gateway, {
    context: surfaceContext('web'),
    text: '/slow 1 words',
    session: 'notes',
  });
  const job = await ran(here, {
    kind: 'agent_task',
    target: { session: 'notes' },
    payload: { prompt: 'Summarise the day', fresh_session: true, system_prompt: 'Be brief.' },
  });
  expect(job.lastError).toBeUndefined();
  expect((await slow.outcome).status).toBe('done');
  const segment = await here.gateway.backend.read(key);
  expect(segment.filter(({ meta }) => meta?.origin !== 'agent-prompt')).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Summarise the day' },
    { role: 'assistant', content: expect.stringContaining('You said: Summarise the day') },
  ]);
  const closed = (await here.gateway.backend.meta(key))?.segments.at(-1);
  expect(closed).toMatchObject({ lastSeq: (segment[0]?.seq ?? 0) - 1, reason: 'schedule' });
  const [before] = await here.gateway.backend.read(key, {
    segment: 'all',
    after: (closed?.lastSeq ?? 0) - 1,
  });
  expect(before).toMatchObject({ role: 'assistant', content: expect.stringContaining('words') });
});

test('a run that is tried again says nothing twice', async () => {
  const here = await gatewayHere();
  const { jobs, backend } = here.gateway;
  const request = {
    id: 'fails',
    kind: 'agent_task',
    schedule: { type: 'delay', seconds: 0 },
    target: { session: 'notes' },
    payload: { prompt: '/fail', fresh_session: true, system_prompt: 'Be brief.' },
  };
  await jobs.create(parseJobRequest(request), 'test');
  const first = await jobs.run('fails');
  await first.done;
  expect(await jobs.get('fails')).toMatchObject({ lastStatus: 'error', runCount: 1, state: 'scheduled' });
  const second = await jobs.run('fails');
  await second.done;
  const key = (await backend.resolve('notes')) ?? '';
  const said = (await backend.read(key, { segment: 'all' })).map(({ role, content }) => `${role} ${content}`);
  expect(await jobs.get('fails')).toMatchObject({ runCount: 2 });
  expect(said.filter((words) => words === 'user /fail')).toHaveLength(1);
  expect(said.filter((words) => words === 'system Be brief.')).toHaveLength(1);
});

test('a message goes to its chat as an assistant’s, and everybody who watches sees it', async () => {
  const here = await gatewayHere();
  const seen: unknown[] = [];
  here.gateway.feed.subscribe({ tell: (event) => void seen.push(event), end() {} });
  const context = { channel: 'telegram', chatType: 'direct', chatId: '7', senderId: '7' };
  const { key } = await here.say('hello', { context });
  const job = await ran(here, {
    kind: 'outbound_message',
    target: { channel: 'telegram', chat_type: 'direct', chat_id: '7' },
    payload: { content: 'Time is up' },
  });
  expect(job).toMatchObject({ lastStatus: 'ok', lastError: undefined });
  const [last] = await here.gateway.backend.read(key, { limit: 1, order: 'desc' });
  expect(last).toMatchObject({
    role: 'assistant',
    content: 'Time is up',
    meta: { origin: 'schedule', job_id: job.id },
  });
  await expect
    .poll(() => seen, patience)
    .toContainEqual({
      name: 'session',
      payload: { session: expect.objectContaining({ key, preview: 'Time is up' }) },
    });
  const message = expect.objectContaining({ role: 'assistant', content: 'Time is up' });
  const payload = { session_key: key, turn_id: expect.any(String), message };
  expect(seen).toContainEqual({ name: 'message', payload });
  // A chat nobody has spoken in yet has its session from then on.
  await ran(here, {
    kind: 'outbound_message',
    target: { channel: 'feishu', chat_type: 'group', chat_id: 'oc_1' },
    payload: { content: 'Good morning' },
  });
  const group = { channel: 'feishu', chatType: 'group', chatId: 'oc_1', senderId: 'ou_1' };
  const { key: groupKey } = await here.say('thanks', { context: group });
  expect((await here.active(groupKey)).slice(0, 2)).toEqual(['assistant: Good morning', 'user: thanks']);
});

test('what a job says first in a segment does not keep the agent’s profile out of it', async () => {
  const { gateway } = await gatewayHere();
  const profile = { reinjectEvery: 100, read: async () => 'You are Ada.' };
  const agents = { ...gateway.agents, get: (id: string) => ({ ...gateway.agents.get(id), prompt: profile }) };
  const house = { ...gateway, agents };
  const target = { session: 'notes' };
  await deliver(house, { target, content: 'Good morning', id: 'one', meta: {} });
  await deliver(house, { target, content: 'Good morning', id: 'one', meta: {} });
  const turn = await receive(house, { context: surfaceContext('web'), text: 'thanks', session: 'notes' });
  await turn.outcome;
  const said = (await gateway.backend.read(turn.sessionKey)).map(
    ({ role, content }) => `${role}: ${content}`,
  );
  expect(said.slice(0, 3)).toEqual(['system: You are Ada.', 'assistant: Good morning', 'user: thanks']);
  expect(said).toHaveLength(4);
});

test('a target that leaves out what kind of chat it is finds the chat that is known', async () => {
  const here = await gatewayHere({ session: { dimensions: ['chat', 'sender'] } });
  const private_ = { channel: 'telegram', chatType: 'direct', chatId: '7', senderId: '7' };
  const group = { channel: 'feishu', chatType: 'group', chatId: 'oc_1', senderId: 'ou_1' };
  const { key } = await here.say('hello', { context: private_ });
  const { key: groupKey } = await here.say('hello', { context: group });
  const say = (target: object, sender_id?: string) =>
    ran(here, {
      kind: 'agent_task',
      target,
      payload: { prompt: 'Good morning', ...(sender_id === undefined ? {} : { sender_id }) },
    });
  await say({ channel: 'telegram', chat_id: '7' });
  await say({ channel: 'feishu', chat_id: 'oc_1' }, 'ou_1');
  for (const each of [key, groupKey]) expect((await here.active(each))[2]).toBe('user: Good morning');
});

test('session_cleanup keeps the sessions to their limits; an unknown event is the job’s error', async () => {
  const here = await gatewayHere({ session: { maintenance: { mode: 'enforce', max_sessions: 1 } } });
  await here.say('hello', { session: 'one' });
  await here.say('hello', { session: 'two' });
  const job = await ran(here, { kind: 'internal_event', payload: { event: 'session_cleanup' } });
  expect(job).toMatchObject({ lastStatus: 'ok' });
  const { sessions } = await here.gateway.backend.list();
  expect(sessions.map(({ title }) => title)).toEqual(['two']);
  expect(await ran(here, { kind: 'internal_event', payload: { event: 'dance' } })).toMatchObject({
    lastStatus: 'error',
    lastError: 'There is no internal event "dance"; there are: session_cleanup.',
  });
});

test('what a turn could not do is the job’s error', async () => {
  const here = await gatewayHere();
  const job = await ran(here, {
    kind: 'agent_task',
    target: { session: 'notes' },
    payload: { prompt: '/fail' },
  });
  expect(job).toMatchObject({ lastStatus: 'error', failures: 1, lastError: expect.stringMatching(/\w/) });
});

test('the tool plans for its own conversation, and sees no other’s', async () => {
  const here = await gatewayHere({ scheduler: { time_zone: 'Europe/Berlin' } });
  const { jobs, backend, configuration } = here.gateway;
  const { key: mine } = await here.say('hello', { session: 'mine' });
  const { key: other } = await here.say('hello', { session: 'other' });
  const tool = schedulerManageTool(jobs, backend, configuration.jobs);
  const use = (input: object, sessionKey = mine) =>
    tool.execute(tool.inputSchema.parse(input), {
      sessionKey,
      turnId: 't',
      signal: new AbortController().signal,
    }) as Promise<{ job: { id: string; state: string }; jobs: unknown[] }>;

  const daily = { type: 'cron', expression: '0 9 * * *' };
  const { job } = await use({
    action: 'create',
    schedule: daily,
    prompt: 'Summarise the day',
    title: 'Daily',
  });
  expect(await jobs.get(job.id)).toMatchObject({
    kind: 'agent_task',
    source: 'tool',
    schedule: { ...daily, time_zone: 'Europe/Berlin' },
    target: { session: mine, channel: 'cli' },
  });
  expect((await use({ action: 'list' })).jobs).toHaveLength(1);
  expect((await use({ action: 'list' }, other)).jobs).toEqual([]);
  await expect(use({ action: 'delete', id: job.id }, other)).rejects.toMatchObject({ code: 'unknown_job' });
  await expect(use({ action: 'create', schedule: daily, message: 'Hi', session: other })).rejects.toThrow(
    'not allowed',
  );
  await expect(use({ action: 'create', schedule: daily })).rejects.toThrow('either message or prompt');
  expect((await use({ action: 'pause', id: job.id })).job.state).toBe('paused');
  expect((await use({ action: 'resume', id: job.id })).job.state).toBe('scheduled');
  const reminder = await use({ action: 'create', schedule: later, message: 'Tea!' });
  expect((await use({ action: 'run', id: reminder.job.id })).job.state).toBe('running');
  await expect.poll(() => here.active(mine), patience).toContain('assistant: Tea!');
  await use({ action: 'delete', id: job.id });
  expect((await use({ action: 'list' })).jobs).toHaveLength(1);
});

test('jobs are made, changed and deleted over HTTP, with errors that say what is wrong', async () => {
  const here = await gatewayHere();
  const request = async (method: string, path: string, body?: unknown) => {
    const answer = await here.request(path, { method, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, ...(answer.body as object) };
  };
  const body = {
    id: 'report',
    kind: 'agent_task',
    schedule: { type: 'at', timestamp: '2099-01-01T09:00:00+01:00' },
    target: { session: 'notes' },
    payload: { prompt: 'Summarise the day' },
    max_runs: 3,
  };
  const made = await request('POST', '/api/jobs', body);
  expect(made).toMatchObject({
    status: 200,
    job: {
      id: 'report',
      title: null,
      state: 'scheduled',
      schedule: { type: 'at', timestamp: '2099-01-01T08:00:00.000Z' },
      next_fire_at: '2099-01-01T08:00:00.000Z',
      source: 'api',
      run_count: 0,
      max_runs: 3,
      last_status: null,
    },
  });
  expect(await request('GET', '/api/jobs/report')).toEqual(made);
  expect(await request('POST', '/api/jobs', body)).toMatchObject({
    status: 409,
    error: { code: 'job_exists' },
  });
  for (const [schedule, words] of [
    [
      { type: 'cron', expression: 'every day' },
      'schedule.expression: the cron expression "every day" cannot be read',
    ],
    [
      { type: 'cron', expression: '0 9 * * *', time_zone: 'Mars' },
      'schedule.time_zone: unknown time zone "Mars"',
    ],
    [{ type: 'at', timestamp: '2001-01-01T00:00:00Z' }, 'schedule.timestamp: lies in the past'],
  ] as const) {
    const refused = await request('POST', '/api/jobs', { ...body, id: 'bad', schedule });
    expect(refused).toMatchObject({ status: 400, error: { message: expect.stringContaining(words) } });
  }
  expect(await request('POST', '/api/jobs/report/pause')).toMatchObject({ job: { state: 'paused' } });
  expect(await request('POST', '/api/jobs/report/resume')).toMatchObject({ job: { state: 'scheduled' } });
  expect(await request('POST', '/api/jobs/report/run')).toMatchObject({
    status: 200,
    job: { state: 'running' },
  });
  await expect
    .poll(() => request('GET', '/api/jobs?state=scheduled'), patience)
    .toMatchObject({
      jobs: [{ id: 'report', run_count: 1, last_status: 'ok' }],
    });
  expect(await request('GET', '/api/jobs?state=paused')).toMatchObject({ jobs: [] });
  expect(await request('DELETE', '/api/jobs/report')).toMatchObject({ status: 200, deleted: true });
  for (const [method, path] of [
    ['GET', '/api/jobs/report'],
    ['DELETE', '/api/jobs/report'],
    ['POST', '/api/jobs/report/run'],
  ] as const) {
    expect(await request(method, path)).toMatchObject({ status: 404, error: { code: 'unknown_job' } });
  }
});
