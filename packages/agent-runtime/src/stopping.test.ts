import { createMemoryBackend } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { gatedTool } from '../test/gated-tool.js';
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

const calls = [
  { id: 'a', name: 'slow' },
  { id: 'b', name: 'slow' },
];

describe('a soft stop', () => {
  it('lets the running tool finish, runs no other, and keeps what was said', async () => {
    const { say, runtime, history } = createStage();
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ text: 'Two things.', calls }]), { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    expect(runtime.stop('s1', 'Enough.', 'soft')).toBe(true);
    expect(slow.signals[0]?.aborted).toBe(false);
    slow.finish('first done');
    expect((await turn.outcome).status).toBe('stopped');
    expect(told(await history())).toEqual([
      'user: begin',
      'assistant: Two things. → slow, slow',
      'tool: first done',
      'tool: Stopped before a result was recorded. It may or may not have run. [interrupted]',
      'assistant: Stopped before an answer. [stopped]',
    ]);
    expect(slow.signals).toHaveLength(1);
  });

  it('ends words at once, and can be made to end a tool at once', async () => {
    const { say, history } = createStage();
    const talking = await say(agentWith(scriptedModel([wordsThenSilence('Half a ')])), 'Tell');
    await untilSaid(talking, 'Half a');
    talking.stop('Enough.', 'soft');
    expect((await talking.outcome).status).toBe('stopped');
    expect(told(await history()).at(-1)).toBe('assistant: Half a  [stopped]');

    const slow = gatedTool('slow');
    const turn = await say(agentWith(scriptedModel([{ calls }]), { tools: [slow.tool] }), 'begin');
    await slow.called();
    turn.stop('Enough.', 'soft');
    turn.stop('Now.', 'now');
    expect((await turn.outcome).status).toBe('stopped');
  });
});

describe('a hard stop', () => {
  it('takes the session back to where the turn began, and leaves a note that it did', async () => {
    const { say, history, backend } = createStage();
    await (await say(agentWith(scriptedModel(['Hello.'])), 'Hi')).outcome;
    const before = await history();
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ text: 'Deleting.', calls }]), { tools: [slow.tool] });
    const turn = await say(agent, 'Delete everything');
    await slow.called();
    turn.stop('A mistake.', 'hard');
    expect(await turn.outcome).toMatchObject({ status: 'stopped', reply: '', messages: [] });
    expect(slow.signals[0]?.aborted).toBe(true);
    expect(await history()).toEqual(before);
    expect((await backend.meta('s1'))?.attributes.undoneTurns).toMatchObject([
      { turnId: turn.id, reason: 'A mistake.', fromSeq: 3, messages: 2 },
    ]);
    expect((await eventsOf(turn)).slice(-2)).toMatchObject([
      { type: 'undone', fromSeq: 3 },
      { type: 'ended' },
    ]);
    await (await say(agentWith(scriptedModel(['Here.'])), 'Still there?')).outcome;
    expect(told(await history()).slice(2)).toEqual(['user: Still there?', 'assistant: Here.']);
  });
});

describe('the time of a turn', () => {
  it('is limited: what was said stays, and the turn has failed', async () => {
    const { say, history } = createStage();
    const model = scriptedModel([wordsThenSilence('Thinking ')]);
    const turn = await say(agentWith(model, { turnTimeoutMs: 300 }), 'Tell');
    expect(await turn.outcome).toMatchObject({ status: 'failed', error: { code: 'turn_timeout' } });
    expect(told(await history())).toEqual(['user: Tell', 'assistant: Thinking  [failed]']);
  });
});

describe('a turn found unfinished at the start', () => {
  it('is gone on with where the runtime is told so: the same message, no tool run again', async () => {
    const disk = createMemoryBackend();
    const journal = createMemoryJournal();
    const before = killable(disk);
    const first = createStage({ backend: before.backend, journal });
    const slow = gatedTool('slow');
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'slow' }] }, 'never']);
    await first.say(agentWith(model, { tools: [slow.tool] }), { text: 'begin', id: 'm1' });
    await slow.called();
    before.kill();
    let count = 0;
    const second = createStage({
      backend: disk,
      journal,
      agents: (id) => (id === 'main' ? agentWith(scriptedModel(['It was cut off; here it is.'])) : undefined),
      unfinishedTurns: 'resume',
      createId: () => `after${++count}`,
    });
    const [recovered] = await second.runtime.recover();
    expect(recovered).toMatchObject({ interrupted: true, goesOn: { inputId: 'm1' } });
    expect((await recovered?.goesOn?.outcome)?.reply).toBe('It was cut off; here it is.');
    expect(told(await second.history())).toEqual([
      'user: begin',
      'assistant:  → slow',
      'tool: Interrupted before a result was recorded. It may or may not have run. [interrupted]',
      'assistant: Interrupted before an answer. [interrupted]',
      'assistant: It was cut off; here it is.',
    ]);
    expect(slow.signals).toHaveLength(1);
  });
});
