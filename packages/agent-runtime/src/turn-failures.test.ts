import { createMemoryBackend } from '@x/session-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  finish,
  type ScriptedAnswer,
  scriptedModel,
  words,
  wordsThenSilence,
} from '../test/scripted-model.js';
import { agentWith, createMemoryJournal, createStage, eventsOf, told, untilSaid } from '../test/stage.js';
import { defineTool } from './index.js';

const unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', remember));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', remember);
  expect(unhandled.splice(0)).toEqual([]);
});

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});

function after(text: string, last: unknown): ScriptedAnswer {
  return async function* () {
    yield* words(text);
    if (last instanceof Error) throw last;
    yield last;
  };
}

describe('a model that fails', () => {
  it.each<[string, ScriptedAnswer, string]>([
    ['refuses', { refuse: new Error('no such model') }, 'no such model'],
    ['breaks in the middle', after('Half ', new Error('socket hang up')), 'socket hang up'],
    [
      'reports an error event',
      after('Half ', { type: 'error', error: new Error('overloaded') }),
      'overloaded',
    ],
    ['streams no event', after('Half ', 42), 'no event'],
    ['streams null', after('Half ', null), 'no event'],
    ['streams text that is none', after('Half ', { type: 'text-delta', id: '1', delta: 7 }), 'no event'],
    ['streams text that never began', after('Half ', { type: 'text-delta', id: '9', delta: 'x' }), 'failed'],
    ['stops without an end', after('Half ', { type: 'raw', rawValue: 1 }), 'broke off'],
    ['ends with an error', after('Half ', finish('error')), 'ended the answer with an error'],
  ])(
    '%s: the turn has failed, what was said stays, and the next turn works',
    async (_case, failing, words) => {
      const { say, history } = createStage();
      const agent = agentWith(scriptedModel([failing, 'Better now.']));
      const turn = await say(agent, 'Hi');
      const outcome = await turn.outcome;
      expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model_failed' } });
      expect(outcome.error?.message).toContain(words);
      expect((await eventsOf(turn)).at(-1)).toMatchObject({ type: 'ended', outcome });
      const [, failed] = await history();
      expect(failed).toMatchObject({
        role: 'assistant',
        meta: { status: 'failed', error: outcome.error?.message },
      });
      expect(failed?.content).toMatch(
        typeof failing === 'function' ? /^Half / : (outcome.error?.message ?? ''),
      );
      expect((await (await say(agent, 'Again?')).outcome).reply).toBe('Better now.');
    },
  );

  it('says nothing for too long: a time-out, with what it said before', async () => {
    const { say, history } = createStage();
    const turn = await say(
      agentWith(scriptedModel([wordsThenSilence('Well ')]), { stepTimeoutMs: 1_000 }),
      'Hi',
    );
    expect(await turn.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'model_timeout' },
      reply: 'Well ',
    });
    expect(told(await history())).toEqual(['user: Hi', 'assistant: Well  [failed]']);
  });

  it('never answers at all, or answers with no stream: a failed turn', async () => {
    const { say } = createStage();
    const silent = { ...scriptedModel([]), doStream: () => new Promise<never>(() => {}) };
    const mute = await say(agentWith(silent, { stepTimeoutMs: 5 }), 'Hi', 'a');
    expect((await mute.outcome).error?.code).toBe('model_timeout');
    const hollow = { ...scriptedModel([]), doStream: async () => ({}) as never };
    expect((await (await say(agentWith(hollow), 'Hi', 'b')).outcome).error?.code).toBe('model_failed');
  });

  it('is asked again where that helps and nothing was shown, at most twice', async () => {
    const busy = Object.assign(new Error('busy'), {
      statusCode: 503,
      responseHeaders: { 'retry-after': '0' },
    });
    const late = new Error('context deadline exceeded');
    const { say, history } = createStage();
    const patient = scriptedModel([{ refuse: busy }, { refuse: late }, 'Here.']);
    expect((await (await say(agentWith(patient), 'one')).outcome).reply).toBe('Here.');
    const hopeless = scriptedModel([{ refuse: busy }]);
    expect((await (await say(agentWith(hopeless), 'two')).outcome).error?.message).toContain('HTTP 503');
    expect(hopeless.prompts).toHaveLength(3);
    const refused = scriptedModel([{ refuse: Object.assign(new Error('bad'), { statusCode: 400 }) }]);
    await (await say(agentWith(refused), 'three')).outcome;
    expect(refused.prompts).toHaveLength(1);
    const broken = scriptedModel([after('Half ', new Error('ECONNRESET'))]);
    await (await say(agentWith(broken), 'four')).outcome;
    expect(broken.prompts).toHaveLength(1);
    expect((await history()).filter(({ role }) => role === 'user')).toHaveLength(4);
  });

  it('does not give away secrets, neither in the history nor in the log', async () => {
    const secret = 'sk-proj-abcdefghijklmnop1234567890';
    const cause = Object.assign(
      new Error(`Incorrect key ${secret} at https://u:${secret}@x.test/v1?key=${secret}`),
      {
        statusCode: 401,
        requestBodyValues: { messages: ['Hi'] },
      },
    );
    const logged: unknown[] = [];
    const { say, history } = createStage({ logger: { warn: (...given) => void logged.push(given) } });
    const outcome = await (await say(agentWith(scriptedModel([{ refuse: cause }])), 'Hi')).outcome;
    expect(outcome.error?.message).toContain('HTTP 401');
    expect(JSON.stringify([await history(), outcome, logged])).not.toContain(secret);
    expect(JSON.stringify(logged)).not.toContain('"Hi"');
  });

  it('answers with nothing: the history gets a sentence and no empty message', async () => {
    const { say, history } = createStage();
    const outcome = await (await say(agentWith(scriptedModel([' '])), 'Hi')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'empty_answer' } });
    expect(told(await history())).toEqual([
      'user: Hi',
      'assistant:   [failed]'.replace('  ', ` ${outcome.error?.message}`),
    ]);
  });

  it('cannot be told what to be: the agent has failed', async () => {
    const { say } = createStage();
    const system = () => Promise.reject(new Error('no profile'));
    const outcome = await (await say(agentWith(scriptedModel(['x']), { system }), 'Hi')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'agent_failed' } });
  });
});

describe('calls that go wrong', () => {
  it('become results that the model can act on, and are stored whole', async () => {
    const { say, history } = createStage();
    const calls = [
      { id: 'a', name: 'echo', arguments: '{"text":' },
      { id: 'a', name: 'echo', arguments: '{"text":5}' },
      { id: '', name: '', arguments: '{}' },
      { id: 'd', name: 'nothing', arguments: '{}' },
      { id: 'e', name: 'throws' },
      { id: 'f', name: 'echo', arguments: '{"text":"fine"}' },
    ];
    const throws = defineTool({
      name: 'throws',
      description: 'Fails.',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('out of order');
      },
    });
    const model = scriptedModel([{ calls }, 'I see.']);
    const turn = await say(agentWith(model, { tools: [echo, throws] }), 'Go');
    expect((await turn.outcome).reply).toBe('I see.');
    const [, block, ...results] = await history();
    expect(block?.toolCalls?.[0]?.arguments).toBe('{"text":');
    expect(block?.toolCalls?.map(({ id, name }) => [id, name]).slice(0, 3)).toEqual([
      ['a', 'echo'],
      ['a_2', 'echo'],
      [expect.stringMatching(/^call_/), 'unnamed_tool'],
    ]);
    expect(results.slice(0, 6).map(({ content }) => String(content).split('\n')[0])).toEqual([
      'The arguments of echo are not a JSON object. It was not run.',
      'The arguments of echo do not fit. It was not run.',
      'There is no tool "unnamed_tool". Tools: echo, throws.',
      'There is no tool "nothing". Tools: echo, throws.',
      'throws failed: out of order',
      'fine',
    ]);
    const phases = (await eventsOf(turn)).flatMap((event) => (event.type === 'tool' ? [event.phase] : []));
    expect(phases.filter((phase) => phase === 'failed')).toHaveLength(5);
  });

  it('end with the step limit when they go on for ever', async () => {
    const { say, history } = createStage();
    const model = scriptedModel([{ calls: [{ id: 'c', name: 'echo', arguments: '{"text":"x"}' }] }]);
    const outcome = await (await say(agentWith(model, { tools: [echo], maxSteps: 3 }), 'Go')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', steps: 3, error: { code: 'step_limit' } });
    expect(told(await history()).at(-1)).toContain('still calling tools after 3 steps. [failed]');
  });

  it('are given up after a time', async () => {
    const { say } = createStage();
    const sleepy = defineTool({ ...echo, execute: () => new Promise<string>(() => {}) });
    const model = scriptedModel([
      { calls: [{ id: 'c', name: 'echo', arguments: '{"text":"x"}' }] },
      'Never mind.',
    ]);
    const outcome = await (await say(agentWith(model, { tools: [sleepy], toolTimeoutMs: 10 }), 'Go')).outcome;
    expect(outcome.messages[1]?.content).toBe('echo failed: No result after 10 ms.');
    expect(outcome.reply).toBe('Never mind.');
  });

  it('may say more than the store takes', async () => {
    const { say } = createStage({ backend: createMemoryBackend({ maxMessageBytes: 2_000 }) });
    const model = scriptedModel([{ calls: [{ id: 'c', name: 'echo', arguments: '{"text":"x"}' }] }, 'Long.']);
    const tools = [defineTool({ ...echo, execute: async () => 'x'.repeat(10_000) })];
    const outcome = await (await say(agentWith(model, { tools }), 'Go')).outcome;
    expect(outcome.messages[1]?.content).toContain('too large to be stored');
    expect(outcome.reply).toBe('Long.');
  });
});

describe('an answer that the store does not take', () => {
  const long = wordsThenSilence('word '.repeat(600));
  const stored = { maxMessageBytes: 2_000 };

  it('fails the turn, which is closed, and the next one works', async () => {
    const { say, history } = createStage({ backend: createMemoryBackend(stored) });
    const model = scriptedModel(['word '.repeat(600), 'Short.']);
    const outcome = await (await say(agentWith(model), 'Go')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store_failed' } });
    expect((await (await say(agentWith(model), 'Again')).outcome).reply).toBe('Short.');
    expect(told(await history())).toEqual([
      'user: Go',
      'assistant: The session could not be stored (MessageTooLarge). [failed]',
      'user: Again',
      'assistant: Short.',
    ]);
  });

  it('is closed where it is stopped, and where the process dies', async () => {
    const [backend, journal] = [createMemoryBackend(stored), createMemoryJournal()];
    const { say, history, runtime } = createStage({ backend, journal });
    const stopped = await say(agentWith(scriptedModel([long])), 'Go');
    await untilSaid(stopped, 'word '.repeat(600));
    stopped.stop('enough');
    expect((await stopped.outcome).status).toBe('stopped');
    const partial = { messageId: 'x', text: 'word '.repeat(600) };
    await backend.append('s1', [{ id: 'm', role: 'user', content: 'Once more' }]);
    const turn = { turnId: 't', sessionKey: 's1', agentId: 'main', inputId: 'm', startedAt: '' };
    await journal.begin({ ...turn, partial });
    expect(await runtime.recover()).toMatchObject([{ turnId: 't', interrupted: true }]);
    expect(journal.turns.size).toBe(0);
    expect(told(await history())).toEqual([
      'user: Go',
      'assistant: Stopped before an answer. [stopped]',
      'user: Once more',
      'assistant: Interrupted before an answer. [interrupted]',
    ]);
  });
});

describe('a stop', () => {
  it('keeps what was said, and does nothing to what comes after', async () => {
    const { say, runtime, history } = createStage();
    const turn = await say(agentWith(scriptedModel([wordsThenSilence('Once upon ')])), 'Tell');
    await untilSaid(turn, 'upon');
    expect(runtime.stop('s1', 'enough')).toBe(true);
    expect(await turn.outcome).toMatchObject({ status: 'stopped', reply: 'Once upon ' });
    expect(runtime.stop('s1', 'again')).toBe(false);
    expect(turn.stop('again')).toBe(false);
    expect((await (await say(agentWith(scriptedModel(['Hello.'])), 'Hi')).outcome).status).toBe('done');
    expect(told(await history())).toEqual([
      'user: Tell',
      'assistant: Once upon  [stopped]',
      'user: Hi',
      'assistant: Hello.',
    ]);
  });

  it('does not wait for a tool, answers the open calls, and leaves a history that goes on', async () => {
    const { say, runtime, history } = createStage();
    let aborted = false;
    const stubborn = defineTool({
      ...echo,
      execute: (_input, { signal }) =>
        new Promise<string>(() => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          runtime.stop('s1', 'enough');
        }),
    });
    const calls = ['a', 'b'].map((id) => ({ id, name: 'echo', arguments: '{"text":"x"}' }));
    const agent = agentWith(scriptedModel([{ calls }, 'Going on.']), { tools: [stubborn] });
    const turn = await say(agent, 'Go');
    expect((await turn.outcome).status).toBe('stopped');
    expect(aborted).toBe(true);
    const tools = (await eventsOf(turn)).flatMap((event) =>
      event.type === 'tool' ? [`${event.id} ${event.phase}`] : [],
    );
    expect(tools).toEqual(['a start', 'a failed', 'b failed']);
    expect(told(await history()).map((line) => line.slice(0, 34).trim())).toEqual([
      'user: Go',
      'assistant:  → echo, echo',
      'tool: Stopped before a result was',
      'tool: Stopped before a result was',
      'assistant: Stopped before an answe',
    ]);
    expect((await (await say(agent, 'And?')).outcome).reply).toBe('Going on.');
  });

  it('before a turn begins leaves its message and says so; a caller may stop it by a signal', async () => {
    const { say, runtime, history } = createStage();
    const caller = new AbortController();
    const model = scriptedModel([wordsThenSilence('One ')]);
    const input = { text: 'first' };
    const first = await runtime.submit({
      session: { sessionKey: 's1' },
      input,
      agent: agentWith(model),
      signal: caller.signal,
    });
    const second = await say(agentWith(model), 'second');
    second.stop('not that');
    caller.abort();
    expect((await first.outcome).status).toBe('stopped');
    expect(await second.outcome).toMatchObject({ status: 'stopped', steps: 0 });
    expect(told(await history()).slice(-2)).toEqual([
      'user: second',
      'assistant: Stopped before an answer. [stopped]',
    ]);
    expect(model.prompts.length).toBeLessThanOrEqual(1);
  });
});

describe('a store that fails', () => {
  it('before the message is safe: nobody is told that it is', async () => {
    const { say, backend } = createStage();
    await backend.close();
    const turn = await say(agentWith(scriptedModel(['x'])), 'Hi');
    await expect(turn.accepted).rejects.toMatchObject({ code: 'StoreClosed' });
    expect(await turn.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'store_failed' },
      messages: [],
    });
  });

  it('in the middle of an answer: a failed turn, and the next one heals the history', async () => {
    const memory = createMemoryBackend();
    let isFull = false;
    const backend = {
      ...memory,
      append: (...given: Parameters<typeof memory.append>) =>
        isFull ? Promise.reject(new Error('disk on fire')) : memory.append(...given),
    };
    const { say, history, warnings } = createStage({ backend });
    const turn = await say(agentWith(scriptedModel([after('Half ', finish())])), 'Hi');
    await turn.accepted;
    isFull = true;
    expect(await turn.outcome).toMatchObject({ status: 'failed', error: { code: 'turn_failed' } });
    expect(warnings.length).toBeGreaterThan(0);
    isFull = false;
    expect((await (await say(agentWith(scriptedModel(['Well.'])), 'Again')).outcome).reply).toBe('Well.');
    expect(told(await history())).toEqual([
      'user: Hi',
      'assistant: Interrupted before an answer. [interrupted]',
      'user: Again',
      'assistant: Well.',
    ]);
  });
});
