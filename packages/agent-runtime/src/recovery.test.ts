import { createMemoryBackend, type Message } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel, wordsThenSilence } from '../test/scripted-model.js';
import {
  agentWith,
  createMemoryJournal,
  createStage,
  eventsOf,
  killable,
  told,
  untilSaid,
} from '../test/stage.js';
import { defineTool, turnState } from './index.js';

/** What a first process leaves when it dies, for a second to find. */
function twoLives() {
  const backend = createMemoryBackend();
  const journal = createMemoryJournal();
  const life = killable(backend);
  let ids = 0;
  const first = createStage({ backend: life.backend, journal, createId: () => `first${++ids}` });
  return { first, kill: life.kill, journal, reborn: () => createStage({ backend, journal }) };
}

describe('after the process died', () => {
  it('in the middle of an answer, what was shown is kept and marked, once, and the next message is answered', async () => {
    const { first, kill, journal, reborn } = twoLives();
    const turn = await first.say(agentWith(scriptedModel([wordsThenSilence('Once upon ')])), {
      text: 'Tell',
      id: 'm1',
    });
    await untilSaid(turn, 'upon');
    kill();
    turn.stop('end of the test');
    const second = reborn();
    expect(await second.runtime.recover()).toMatchObject([
      { sessionKey: 's1', inputId: 'm1', interrupted: true },
    ]);
    expect(await second.runtime.recover()).toEqual([]);
    expect(journal.turns.size).toBe(0);
    expect(told(await second.history())).toEqual(['user: Tell', 'assistant: Once upon  [interrupted]']);
    expect((await (await second.say(agentWith(scriptedModel(['Sure.'])), 'Go on')).outcome).reply).toBe(
      'Sure.',
    );
  });

  it('while a tool ran, its call is answered as interrupted and the tool is not run again', async () => {
    const { first, kill, reborn } = twoLives();
    let runs = 0;
    const tools = ['a', 'b'].map((name) =>
      defineTool({
        name,
        description: 'Works.',
        inputSchema: z.object({}),
        execute: () => {
          runs += 1;
          return name === 'a' ? Promise.resolve('done a') : new Promise<string>(() => {});
        },
      }),
    );
    const calls = tools.map(({ name }) => ({ id: name, name }));
    const model = scriptedModel([{ text: 'Working.', calls }, 'Both.']);
    const turn = await first.say(agentWith(model, { tools }), 'Go');
    for await (const event of turn.events) if (event.type === 'tool' && event.name === 'b') break;
    kill();
    turn.stop('end of the test');
    const second = reborn();
    await second.runtime.recover();
    expect(told(await second.history())).toEqual([
      'user: Go',
      'assistant: Working. → a, b',
      'tool: done a',
      'tool: Interrupted before a result was recorded. It may or may not have run. [interrupted]',
      'assistant: Interrupted before an answer. [interrupted]',
    ]);
    expect((await (await second.say(agentWith(model, { tools }), 'And?')).outcome).reply).toBe('Both.');
    expect(runs).toBe(2);
  });

  it('a message that comes again is answered, without being stored again', async () => {
    const { first, kill, reborn } = twoLives();
    const input = { text: 'Tell', id: 'm1' };
    const turn = await first.say(agentWith(scriptedModel([wordsThenSilence('Once ')])), input);
    await untilSaid(turn, 'Once');
    kill();
    turn.stop('end of the test');
    const second = reborn();
    await second.runtime.recover();
    const model = scriptedModel(['Once upon a time.']);
    expect((await (await second.say(agentWith(model), input)).outcome).reply).toBe('Once upon a time.');
    expect(told(await second.history())).toEqual([
      'user: Tell',
      'assistant: Once  [interrupted]',
      'assistant: Once upon a time.',
    ]);
    expect(model.prompts[0]?.at(-1)).toMatchObject({ role: 'user' });
  });

  it('a turn that had just ended is left as it is', async () => {
    const { first, journal, reborn } = twoLives();
    await (await first.say(agentWith(scriptedModel(['Done.'])), { text: 'Hi', id: 'm1' })).outcome;
    await journal.begin({ turnId: 't', sessionKey: 's1', agentId: 'main', inputId: 'm1', startedAt: '' });
    journal.progress('t', { messageId: (await first.history())[1]?.id ?? '', text: 'Done.' });
    const second = reborn();
    expect(await second.runtime.recover()).toMatchObject([{ interrupted: false }]);
    expect(told(await second.history())).toEqual(['user: Hi', 'assistant: Done.']);
  });

  it('text that belongs to a stored answer is not stored twice', async () => {
    const { first, journal, reborn } = twoLives();
    await first.backend.ensure('s1');
    const toolCalls = [{ id: 'c', name: 'a', arguments: '{}' }];
    await first.backend.append('s1', [
      { role: 'user', content: 'Go', id: 'm1' },
      { role: 'assistant', content: 'Let me see.', toolCalls, id: 'a1' },
    ]);
    await journal.begin({ turnId: 't', sessionKey: 's1', agentId: 'main', inputId: 'm1', startedAt: '' });
    journal.progress('t', { messageId: 'a1', text: 'Let me see.' });
    const second = reborn();
    await second.runtime.recover();
    expect(told(await second.history()).at(-1)).toBe(
      'assistant: Interrupted before an answer. [interrupted]',
    );
    expect(turnState(await second.history())).toBe('interrupted');
  });

  it('a session that is gone is no hindrance', async () => {
    const { journal, reborn } = twoLives();
    await journal.begin({ turnId: 't', sessionKey: 'gone', agentId: 'main', inputId: 'm1', startedAt: '' });
    expect(await reborn().runtime.recover()).toMatchObject([{ interrupted: false }]);
    expect(journal.turns.size).toBe(0);
  });
});

describe('a history found unfinished', () => {
  const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'look', arguments: '{}' }));
  const tails: readonly [string, readonly Message[]][] = [
    ['a question', [{ role: 'user', content: 'u' }]],
    [
      'open calls',
      [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', toolCalls },
      ],
    ],
    [
      'one result of two',
      [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', content: 'r', toolCallId: 'a' },
      ],
    ],
  ];

  it.each(tails)('with %s at its end is closed by the next turn, once', async (_case, tail) => {
    const { say, backend, history } = createStage();
    await backend.ensure('s1');
    await backend.append('s1', tail);
    expect(turnState(tail)).toBe('unfinished');
    const model = scriptedModel(['Here.']);
    const turn = await say(agentWith(model), 'Next');
    const healed = (await eventsOf(turn)).filter(({ type }) => type === 'healed').length;
    await (await say(agentWith(model), 'And next')).outcome;
    const interrupted = (await history()).filter(({ meta }) => meta?.status === 'interrupted');
    expect(interrupted).toHaveLength(healed);
    expect(interrupted.at(-1)).toMatchObject({ role: 'assistant', seq: tail.length + healed });
    expect((await turn.outcome).messages).toHaveLength(1);
  });

  it('is gone on with when its own message comes again', async () => {
    const { say, backend, history } = createStage();
    await backend.ensure('s1');
    await backend.append('s1', [
      { role: 'user', content: 'Go', id: 'm1' },
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', content: 'r', toolCallId: 'a' },
    ]);
    await (await say(agentWith(scriptedModel(['Got it.'])), { text: 'Go', id: 'm1' })).outcome;
    expect((await history()).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
  });

  it.each<[string, readonly Message[]]>([
    ['idle', []],
    ['idle', [{ role: 'system', content: 'x' }]],
    [
      'unfinished',
      [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', reasoning: 'thought' },
      ],
    ],
    [
      'done',
      [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: 'a' },
      ],
    ],
    ['failed', [{ role: 'assistant', content: 'a', meta: { status: 'failed' } }]],
  ])('tells its state: %s', (state, messages) => {
    expect(turnState(messages)).toBe(state);
  });
});
