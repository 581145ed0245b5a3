import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatedTool } from '../test/gated-tool.js';
import { lastUserText, promptText, type ScriptedAnswer, scriptedModel } from '../test/scripted-model.js';
import { agentWith, createStage, told } from '../test/stage.js';
import {
  createEphemeralSessionStore,
  createSpawnTool,
  defineTool,
  type SubTurnResult,
  type Tool,
} from './index.js';
import type { TurnEvent } from './turn-event.js';

/** A model that gives tasks away: what it is asked decides what it answers, in whatever turn. */
function modelOf(answers: Readonly<Record<string, ScriptedAnswer>>) {
  return scriptedModel((prompt) => {
    const said = lastUserText(prompt).split('\n').at(-1) ?? '';
    const toolsRan = prompt.at(-1)?.role === 'tool';
    return answers[toolsRan ? `${said} ✓` : said] ?? `re ${said}`;
  });
}

const spawn = (id: string, task: string, more: object = {}) => ({
  id,
  name: 'spawn',
  arguments: JSON.stringify({ task, ...more }),
});

function listen(runtime: { subscribe(listener: (event: TurnEvent) => void): unknown }) {
  const phases: string[] = [];
  runtime.subscribe((event) => {
    if (event.type === 'sub_turn' && event.phase !== 'event') phases.push(event.phase);
  });
  return phases;
}

describe('a sub-turn', () => {
  it('does a task in a conversation of its own; the session gets its result and none of its words', async () => {
    const { say, history, runtime, backend } = createStage();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: async () => 'a secret detail',
    });
    const model = modelOf({
      begin: { text: 'I ask a helper.', calls: [spawn('s', 'count them')] },
      'count them': { text: 'Let me look.', calls: [{ id: 'l', name: 'look' }] },
      'count them ✓': 'Seven.',
      'begin ✓': 'There are seven.',
    });
    const phases = listen(runtime);
    const turn = await say(agentWith(model, { tools: [createSpawnTool(), look] }), 'begin');
    expect(await turn.outcome).toMatchObject({ reply: 'There are seven.', usage: { totalTokens: 60 } });
    expect(told(await history())).toEqual([
      'user: begin',
      'assistant: I ask a helper. → spawn',
      'tool: Seven.',
      'assistant: There are seven.',
    ]);
    expect(JSON.stringify(await history())).not.toContain('secret');
    expect((await backend.list()).sessions.map(({ key }) => key)).toEqual(['s1']);
    const own = model.prompts.find((prompt) => lastUserText(prompt) === 'count them');
    expect(promptText(own ?? [])).not.toContain('begin');
    expect(phases).toEqual(['start', 'end']);
    expect(model.illegal).toEqual([]);
  });

  it('in the background gives its result at the next point of the turn', async () => {
    const { say, history, runtime } = createStage();
    const slow = gatedTool('slow');
    const model = modelOf({
      begin: { calls: [spawn('s', 'find out', { background: true }), { id: 'w', name: 'slow' }] },
      'find out': 'Found.',
    });
    const turn = await say(agentWith(model, { tools: [createSpawnTool(), slow.tool] }), 'begin');
    const hasEnded = new Promise<void>((resolve) => {
      runtime.subscribe((event) => {
        if (event.type === 'sub_turn' && event.phase === 'end') resolve();
      });
    });
    await slow.called();
    await hasEnded;
    slow.finish('waited');
    await turn.outcome;
    const results = told(await history()).filter((line) => line.startsWith('user: [SubTurn Result]'));
    expect(results).toHaveLength(1);
    expect(results[0]).toMatch(/: Found\.$/);
    expect((await history()).find(({ meta }) => meta?.origin === 'sub-turn')?.role).toBe('user');
  });

  it('ends when its turn is stopped, and its late result is told to nobody but listeners', async () => {
    const { say, history, runtime } = createStage();
    const slow = gatedTool('slow');
    const model = modelOf({
      begin: { calls: [spawn('s', 'take long')] },
      'take long': { calls: [{ id: 'w', name: 'slow' }] },
    });
    const agent = agentWith(model, { tools: [createSpawnTool(), slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    turn.stop('Enough.');
    await turn.outcome;
    expect(slow.signals[0]?.aborted).toBe(true);
    slow.finish('too late');
    await (await say(agent, 'next')).outcome;
    expect(JSON.stringify(await history())).not.toContain('too late');
    await runtime.close();
  });

  it('is taken back with its turn by a hard stop, however deep', async () => {
    const { say, history } = createStage();
    const slow = gatedTool('slow');
    const model = modelOf({
      begin: { calls: [spawn('s', 'first')] },
      first: { calls: [spawn('s', 'second')] },
      second: { calls: [{ id: 'w', name: 'slow' }] },
    });
    const turn = await say(agentWith(model, { tools: [createSpawnTool(), slow.tool] }), 'begin');
    await slow.called();
    turn.stop('No.', 'hard');
    await turn.outcome;
    expect(slow.signals[0]?.aborted).toBe(true);
    expect(await history()).toEqual([]);
  });

  it('that is not critical ends with its turn; a critical one goes on, and its result is an orphan', async () => {
    const { say, runtime, history } = createStage();
    const slow = gatedTool('slow');
    const long = { calls: [{ id: 'w', name: 'slow' }] };
    const model = modelOf({
      begin: {
        calls: [
          spawn('a', 'plain', { background: true }),
          spawn('b', 'vital', { background: true, critical: true }),
        ],
      },
      plain: long,
      vital: long,
      'vital ✓': 'Saved.',
      'begin ✓': async function* () {
        await slow.called(2);
        yield* [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Both began.' },
          { type: 'text-end', id: '1' },
          finished,
        ];
      },
    });
    const orphans: SubTurnResult[] = [];
    const bothTold = new Promise<void>((resolve) => {
      runtime.subscribe((event) => {
        if (event.type !== 'sub_turn' || event.phase !== 'orphaned') return;
        orphans.push(event);
        if (orphans.length === 2) resolve();
      });
    });
    const turn = await say(agentWith(model, { tools: [createSpawnTool(), slow.tool] }), 'begin');
    expect((await turn.outcome).reply).toBe('Both began.');
    slow.finish('ignored');
    slow.finish('done');
    await bothTold;
    expect(orphans).toMatchObject([{ status: 'stopped' }, { status: 'done', text: 'Saved.' }]);
    expect(JSON.stringify(await history())).not.toContain('Saved');
    await runtime.close();
  });

  it('has limits: three deep, five at once, a time of its own, and only the tools it was given', async () => {
    const { say, history } = createStage();
    const seen: string[] = [];
    let together = 0;
    let most = 0;
    const slow = gatedTool('slow');
    const work: Tool = defineTool({
      name: 'work',
      description: 'Works.',
      inputSchema: z.object({}),
      async execute(_input, { subTurns }) {
        if (subTurns === undefined) throw new Error('A turn gives them.');
        const tasks = Array.from({ length: 8 }, (_, place) => `task ${place}`);
        const ends = await Promise.all(tasks.map((task) => subTurns.run({ task, tools: [count] })));
        seen.push(...ends.map(({ text }) => text));
        const late = await subTurns.run({ task: 'late', tools: [slow.tool], timeoutMs: 20 });
        seen.push(`${late.status} ${late.text}`);
        return 'done';
      },
    });
    const count: Tool = defineTool({
      name: 'count',
      description: 'Counts.',
      inputSchema: z.object({}),
      async execute() {
        together += 1;
        most = Math.max(most, together);
        await new Promise((resolve) => setTimeout(resolve, 5));
        together -= 1;
        return 'counted';
      },
    });
    const model = scriptedModel((prompt) => {
      const said = lastUserText(prompt);
      if (prompt.at(-1)?.role === 'tool') return `re ${said}`;
      if (said === 'begin') return { calls: [{ id: 'w', name: 'work' }] };
      if (said === 'late') return { calls: [{ id: 's', name: 'slow' }] };
      if (said.startsWith('task')) return { calls: [{ id: 'c', name: 'count' }] };
      return { calls: [spawn('d', said)] };
    });
    await (await say(agentWith(model, { tools: [work] }), 'begin')).outcome;
    expect(most).toBe(5);
    expect(seen).toEqual([
      ...Array.from({ length: 8 }, (_, place) => `re task ${place}`),
      'stopped It took longer than 20 ms.',
    ]);
    await (await say(agentWith(model, { tools: [createSpawnTool()] }), 'deeper', 's2')).outcome;
    const depths = model.prompts.filter((prompt) => promptText(prompt).includes('nested at most 3 deep'));
    expect(depths).not.toEqual([]);
    expect(told(await history('s2')).at(-1)).toBe('assistant: re deeper');
  });
});

it('its store keeps the newest of what it is told, and has nothing to save or close', async () => {
  const store = createEphemeralSessionStore(3);
  for (const text of ['one', 'two', 'three', 'four']) store.addMessage('s', 'user', text);
  store.save('s');
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['two', 'three', 'four']);
  await store.close();
  store.addMessage('s', 'user', 'five');
  expect(await store.getHistory('s')).toHaveLength(3);
});

const finished = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
};
