import { allocate } from '@x/session-scope';
import { createMemoryBackend } from '@x/session-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastUserText, scriptedModel, wordsThenSilence } from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf, told, untilSaid } from '../test/stage.js';
import { AgentRuntimeError, defineTool, type TurnEvent } from './index.js';

const unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', remember));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', remember);
  expect(unhandled.splice(0)).toEqual([]);
});

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  inputSchema: z.object({ zone: z.string().default('UTC') }),
  execute: async ({ zone }) => `12:00 ${zone}`,
});

describe('a turn', () => {
  it('stores the message, answers in pieces, and stores the answer', async () => {
    const { say, history } = createStage();
    const turn = await say(agentWith(scriptedModel(['Hello you there'])), { text: 'Hi', id: 'm1' });
    expect(await turn.accepted).toEqual({ seq: 1, id: 'm1' });
    const events = await eventsOf(turn);
    expect(events.map(({ type }) => type)).toEqual([
      'started',
      'accepted',
      'step',
      'token',
      'token',
      'token',
      'message',
      'ended',
    ]);
    expect(await turn.outcome).toMatchObject({
      status: 'done',
      reply: 'Hello you there',
      steps: 1,
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    });
    expect(told(await history())).toEqual(['user: Hi', 'assistant: Hello you there']);
    expect((await history())[1]).toMatchObject({ modelName: 'scripted', usage: { totalTokens: 15 } });
  });

  it('runs tools in order between two steps and shows the model calls and results, in later turns too', async () => {
    const { say, history } = createStage();
    const calls = [
      { id: 'c1', name: 'clock' },
      { id: 'c2', name: 'clock', arguments: '{"zone":"CET"}' },
    ];
    const model = scriptedModel([{ text: 'Let me look.', calls }, 'Noon.', 'As I said, noon.']);
    const agent = agentWith(model, { tools: [clock] });
    const turn = await say(agent, 'Time?');
    const tools = (await eventsOf(turn)).filter(({ type }) => type === 'tool');
    expect(tools).toMatchObject([
      { phase: 'start', id: 'c1', name: 'clock', arguments: '{}' },
      { phase: 'end', id: 'c1', result: '12:00 UTC' },
      { phase: 'start', id: 'c2', arguments: '{"zone":"CET"}' },
      { phase: 'end', id: 'c2', result: '12:00 CET' },
    ]);
    expect((await turn.outcome).messages).toHaveLength(4);
    await (await say(agent, 'Sure?')).outcome;
    expect(told(await history())).toEqual([
      'user: Time?',
      'assistant: Let me look. → clock, clock',
      'tool: 12:00 UTC',
      'tool: 12:00 CET',
      'assistant: Noon.',
      'user: Sure?',
      'assistant: As I said, noon.',
    ]);
    expect(JSON.stringify(model.prompts[2])).toContain('12:00 CET');
  });

  it('has an answer on disk before a tool runs, and a result before the model sees it', async () => {
    const { say, history } = createStage();
    let atRun: readonly string[] = [];
    const look = defineTool({
      ...clock,
      execute: async () => {
        atRun = told(await history());
        return 'seen';
      },
    });
    let atStep: readonly string[] = [];
    const model = scriptedModel((_prompt, call) =>
      call === 0
        ? { calls: [{ id: 'c', name: 'clock' }] }
        : async function* () {
            atStep = told(await history());
            yield* [
              { type: 'finish', ...{ finishReason: { unified: 'stop', raw: 'stop' } }, usage: emptyUsage },
            ];
          },
    );
    await (await say(agentWith(model, { tools: [look] }), 'Go')).outcome;
    expect(atRun).toEqual(['user: Go', 'assistant:  → clock']);
    expect(atStep).toEqual(['user: Go', 'assistant:  → clock', 'tool: seen']);
  });

  it('stores only what is new: ten turns are twenty messages with twenty ids', async () => {
    const { say, history } = createStage();
    const agent = agentWith(scriptedModel(['ok']));
    for (let count = 0; count < 10; count += 1) await (await say(agent, `m${count}`)).outcome;
    const messages = await history();
    expect(messages).toHaveLength(20);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(20);
  });

  it('gives the summary as context and only what is active', async () => {
    const { say, backend } = createStage();
    const model = scriptedModel(['one', 'two']);
    await (await say(agentWith(model), 'old words')).outcome;
    await backend.truncate('s1', { keepLast: 0, summary: 'They greeted.' });
    await (await say(agentWith(model, { system: ({ session }) => `Key ${session.key}.` }), 'new words'))
      .outcome;
    const [system, ...spoken] = model.prompts[1] ?? [];
    expect(system?.content).toMatch(/^Key s1\.\n\n.*\nThey greeted\.$/);
    expect(spoken).toMatchObject([{ role: 'user', content: [{ text: 'new words' }] }]);
  });

  it('reads no more than the newest active messages, however many are hidden', async () => {
    const memory = createMemoryBackend();
    const read: number[] = [];
    const backend = {
      ...memory,
      read: async (...given: Parameters<typeof memory.read>) => {
        const messages = await memory.read(...given);
        read.push(messages.length);
        return messages;
      },
    };
    await memory.ensure('s1');
    const past = Array.from({ length: 2_000 }, (_, place) => ({
      role: place % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `word ${place}`,
    }));
    await memory.append('s1', past);
    await memory.truncate('s1', { keepLast: 10 });
    const { say } = createStage({ backend, limits: { historyMessages: 4 } });
    const model = scriptedModel(['ok']);
    await (await say(agentWith(model, { system: '' }), 'now')).outcome;
    expect(read).toEqual([4]);
    expect(model.prompts[0]?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('gives every reader everything, whenever it comes', async () => {
    const { say, runtime } = createStage();
    const turn = await say(agentWith(scriptedModel(['a b c'])), 'Hi');
    const early = eventsOf(turn);
    await untilSaid(turn, 'a b');
    const during = eventsOf(runtime.running('s1') ?? turn);
    await turn.outcome;
    expect(await during).toEqual(await early);
    expect(await eventsOf(turn)).toEqual(await early);
  });

  it('tells subscribers of every turn, until they leave, and outlives one that throws', async () => {
    const { say, runtime, warnings } = createStage();
    const heard: TurnEvent[] = [];
    const leave = runtime.subscribe((event) => void heard.push(event));
    runtime.subscribe(() => {
      throw new Error('no');
    });
    const agent = agentWith(scriptedModel(['x']));
    await (await say(agent, 'one', 'a')).outcome;
    leave();
    await (await say(agent, 'two', 'b')).outcome;
    expect(heard.map(({ sessionKey, type }) => `${sessionKey} ${type}`)).toEqual([
      'a started',
      'a accepted',
      'a step',
      'a token',
      'a message',
      'a ended',
    ]);
    expect(new Set(warnings)).toEqual(new Set(['A listener of turn events threw.']));
  });
});

describe('the session of a turn', () => {
  it('takes over older history before the names are claimed, and keeps the older title', async () => {
    const { runtime, backend } = createStage();
    await backend.ensure('agent:main:direct:u1', { title: 'Old times' });
    await backend.append('agent:main:direct:u1', [
      { role: 'user', content: 'before' },
      { role: 'assistant', content: 'yes' },
    ]);
    const model = scriptedModel(['hello again']);
    const session = { sessionKey: 'sk_v1_new', sessionAliases: ['agent:main:direct:u1', 'agent:main:main'] };
    await (await runtime.submit({ session, title: 'New', input: { text: 'Hi' }, agent: agentWith(model) }))
      .outcome;
    const meta = await backend.meta('sk_v1_new');
    expect(meta).toMatchObject({ title: 'Old times', messageCount: 4, aliases: ['agent:main:direct:u1'] });
    expect(await backend.resolve('agent:main:direct:u1')).toBe('sk_v1_new');
    expect(JSON.stringify(model.prompts[0])).toContain('before');
  });

  it('is what session-scope allocates; nothing runs any more when the end is told', async () => {
    const { runtime, backend } = createStage();
    const context = { channel: 'Telegram', chatId: '-100', chatType: 'group', senderId: '7' };
    const policy = { dimensions: ['chat', 'sender'] as const, identityLinks: {} };
    const session = allocate({ agentId: 'main', context, policy });
    const runningAtEnd: unknown[] = [];
    runtime.subscribe(({ type, sessionKey }) => {
      if (type === 'ended') runningAtEnd.push(runtime.running(sessionKey));
    });
    const agent = agentWith(scriptedModel(['ok']));
    await (await runtime.submit({ session, title: 'Group', input: { text: 'Hi' }, agent })).outcome;
    const meta = await backend.meta(session.sessionKey);
    expect(meta).toMatchObject({
      channel: 'telegram',
      agentId: 'main',
      title: 'Group',
      scope: session.scope,
    });
    const claimed = session.sessionAliases.filter((alias) => !session.mainAliases.includes(alias));
    expect(claimed.length).toBeGreaterThan(0);
    for (const alias of claimed) expect(await backend.resolve(alias)).toBe(session.sessionKey);
    for (const alias of session.mainAliases) expect(await backend.resolve(alias)).toBeUndefined();
    expect(runningAtEnd).toEqual([undefined]);
  });

  it('complains once about an alias that another session has', async () => {
    const { runtime, backend, warnings } = createStage();
    await backend.ensure('other', { aliases: ['agent:main:direct:u1'] });
    await backend.append('other', [{ role: 'user', content: 'mine' }]);
    const session = { sessionKey: 'sk_v1_new', sessionAliases: ['agent:main:direct:u1'] };
    for (const text of ['one', 'two']) {
      const turn = await runtime.submit({
        session,
        input: { text },
        agent: agentWith(scriptedModel(['ok'])),
      });
      expect((await turn.outcome).status).toBe('done');
    }
    expect(warnings).toEqual(['An alias belongs to another session and was not claimed.']);
  });
});

describe('order', () => {
  it('is that of arrival within a session, and the next turn sees the one before', async () => {
    const { say, history } = createStage();
    const agent = agentWith(scriptedModel((prompt) => `re ${lastUserText(prompt)}`));
    const turns = await Promise.all(Array.from({ length: 10 }, (_, count) => say(agent, `m${count}`)));
    await Promise.all(turns.map(({ outcome }) => outcome));
    const expected = Array.from({ length: 10 }, (_, count) => [
      `user: m${count}`,
      `assistant: re m${count}`,
    ]).flat();
    expect(told(await history())).toEqual(expected);
  });

  it('lets other sessions go on while one is busy, up to the limit', async () => {
    const { say, runtime } = createStage({ limits: { parallelTurns: 2 } });
    const stuck = await say(agentWith(scriptedModel([wordsThenSilence('hm ')])), 'slow', 'a');
    await untilSaid(stuck, 'hm');
    const agent = agentWith(scriptedModel(['ok']));
    const others = await Promise.all(['b', 'c', 'd'].map((key) => say(agent, 'quick', key)));
    const waiting = await say(agent, 'behind', 'a');
    for (const { outcome } of others) expect((await outcome).status).toBe('done');
    expect(runtime.active()).toMatchObject([{ turn: { sessionKey: 'a' }, queued: 1 }]);
    stuck.stop('enough');
    expect((await waiting.outcome).reply).toBe('ok');
    expect(runtime.active()).toEqual([]);
  });

  it('makes progress with one turn at a time', async () => {
    const { say } = createStage({ limits: { parallelTurns: 1 } });
    const agent = agentWith(scriptedModel(['ok']));
    const turns = await Promise.all(
      ['a', 'b', 'a', 'c', 'a'].map((key, count) => say(agent, `m${count}`, key)),
    );
    for (const { outcome } of turns) expect((await outcome).status).toBe('done');
  });

  it('refuses what would wait behind too many, and an empty message', async () => {
    const { say } = createStage({ limits: { queuedPerSession: 1 } });
    const stuck = await say(agentWith(scriptedModel([wordsThenSilence('hm ')])), 'slow');
    const agent = agentWith(scriptedModel(['ok']));
    const waiting = await say(agent, 'second');
    await expect(say(agent, 'third')).rejects.toMatchObject({ code: 'queue_full', sessionKey: 's1' });
    await expect(say(agent, ' ')).rejects.toBeInstanceOf(AgentRuntimeError);
    stuck.stop('enough');
    expect((await waiting.outcome).status).toBe('done');
  });

  it('refuses a message under the id of an answer, and stores nothing of it', async () => {
    const { say, history } = createStage();
    const agent = agentWith(scriptedModel(['Hello.']));
    await (await say(agent, { text: 'Hi', id: 'm1' })).outcome;
    const answerId = (await history())[1]?.id ?? '';
    const turn = await say(agent, { text: 'Swallowed?', id: answerId });
    await expect(turn.accepted).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await turn.outcome).status).toBe('failed');
    expect(told(await history())).toEqual(['user: Hi', 'assistant: Hello.']);
  });

  it('holds for a hundred sessions at once', async () => {
    const { say, history } = createStage();
    const agent = agentWith(scriptedModel((prompt) => `re ${lastUserText(prompt)}`));
    const keys = Array.from({ length: 100 }, (_, count) => `s${count}`);
    const turns = [];
    for (let count = 0; count < 3; count += 1) {
      for (const key of keys) turns.push(await say(agent, `${key} m${count}`, key));
    }
    for (const { outcome } of turns) expect((await outcome).status).toBe('done');
    for (const key of keys) {
      const expected = Array.from({ length: 3 }, (_, count) => [
        `user: ${key} m${count}`,
        `assistant: re ${key} m${count}`,
      ]).flat();
      expect(told(await history(key))).toEqual(expected);
    }
  });
});

describe('closing the runtime', () => {
  it('lets running turns finish in the grace period, and does not begin those that wait', async () => {
    const backend = createMemoryBackend();
    const { say, runtime, history } = createStage({ backend });
    const first = await say(agentWith(scriptedModel(['done in time'])), 'first');
    const second = await say(agentWith(scriptedModel(['never'])), 'second');
    await runtime.close({ graceMs: 5_000 });
    expect((await first.outcome).status).toBe('done');
    expect((await second.outcome).status).toBe('interrupted');
    await expect(second.accepted).rejects.toMatchObject({ code: 'closed' });
    await expect(say(agentWith(scriptedModel(['x'])), 'third')).rejects.toMatchObject({ code: 'closed' });
    expect(told(await history())).toEqual(['user: first', 'assistant: done in time']);
  });

  it('marks as interrupted what does not finish', async () => {
    const { say, runtime, history } = createStage();
    const turn = await say(agentWith(scriptedModel([wordsThenSilence('Half a ')])), 'Tell me');
    await untilSaid(turn, 'Half a');
    await runtime.close({ graceMs: 1 });
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', reply: 'Half a ' });
    expect(told(await history())).toEqual(['user: Tell me', 'assistant: Half a  [interrupted]']);
  });
});

const emptyUsage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
