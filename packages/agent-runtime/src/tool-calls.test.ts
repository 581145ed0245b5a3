import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf, told } from '../test/stage.js';
import { defineTool, type Tool } from './index.js';

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const named = (name: string, execute: () => Promise<string>, more: Partial<Tool> = {}) =>
  defineTool({ name, description: name, inputSchema: z.looseObject({}), execute, ...more });
const calls = (...names: string[]) => ({
  calls: names.map((name, index) => ({ id: `c${index}`, name, arguments: JSON.stringify({ index }) })),
});

describe('the calls of one answer', () => {
  it('run side by side where their tools say so; each result is stored as it comes, and shown in the order of the calls', async () => {
    const second = gate();
    const stage = createStage();
    const tools = [
      named('slow', async () => second.opened.then(() => 'slow'), { runsBesideOthers: true }),
      named('quick', async () => 'quick', { runsBesideOthers: true }),
    ];
    const model = scriptedModel([calls('slow', 'quick'), 'Done.']);
    const turn = await stage.say(agentWith(model, { tools }), 'go');
    for await (const event of turn.events)
      if (event.type === 'message' && event.message.role === 'tool') break;
    second.open();
    expect((await turn.outcome).reply).toBe('Done.');
    expect(told(await stage.history()).slice(2, 4)).toEqual(['tool: quick', 'tool: slow']);
    expect(model.illegal).toEqual([]);
  });

  it('run one after the other elsewhere', async () => {
    const stage = createStage();
    const seen: string[] = [];
    const step = (name: string) =>
      named(name, async () => {
        seen.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} ends`);
        return name;
      });
    const model = scriptedModel([calls('a', 'b'), 'Done.']);
    await (await stage.say(agentWith(model, { tools: [step('a'), step('b')] }), 'go')).outcome;
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('are run up to thirty-two of them; each has its result', async () => {
    const stage = createStage();
    let runs = 0;
    const count = named('count', async () => String(++runs));
    const model = scriptedModel([calls(...Array.from({ length: 40 }, () => 'count')), 'Done.']);
    expect((await (await stage.say(agentWith(model, { tools: [count] }), 'go')).outcome).status).toBe('done');
    expect(runs).toBe(32);
    expect((await stage.history()).filter(({ meta }) => meta?.status === 'failed')).toHaveLength(8);
    expect(model.illegal).toEqual([]);
  });

  it('may not be the same for ever', async () => {
    const stage = createStage();
    let runs = 0;
    const look = named('look', async () => String(++runs));
    const model = scriptedModel((_prompt, step) => ({
      calls: [{ id: 'c', name: 'look', arguments: step % 2 === 0 ? '{"a":1,"b":2}' : '{"b": 2, "a": 1}' }],
    }));
    const outcome = await (await stage.say(agentWith(model, { tools: [look], maxSteps: 100 }), 'go')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', steps: 7, error: { code: 'step_limit' } });
    expect(runs).toBe(5);
  });

  it('have limits of their own on time and output', async () => {
    const stage = createStage();
    const tools = [
      named('stuck', () => new Promise(() => {}), { timeoutMs: 5 }),
      named('chatty', async () => 'x'.repeat(100), { maxOutputCharacters: 10 }),
    ];
    const model = scriptedModel([calls('stuck', 'chatty'), 'Done.']);
    await (await stage.say(agentWith(model, { tools }), 'go')).outcome;
    const results = (await stage.history())
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(results).toEqual([
      'stuck failed: No result after 5 ms.',
      'xxxxxxxxxx\n[… 90 more characters of this result were not kept. …]',
    ]);
  });

  it('are described by a schema from elsewhere where a tool brings one', async () => {
    const stage = createStage();
    const sent: unknown[] = [];
    const model = scriptedModel(['Done.']);
    const { doStream } = model;
    model.doStream = (options) => {
      sent.push(options.tools);
      return doStream(options);
    };
    const schema = { type: 'object', properties: { where: { type: 'string' } } };
    const tools = [named('away', async () => '', { inputJsonSchema: schema })];
    await (await stage.say(agentWith(model, { tools }), 'go')).outcome;
    expect(sent).toMatchObject([[{ name: 'away', inputSchema: schema }]]);
  });
});

describe('a call that needs permission', () => {
  function house() {
    const stage = createStage();
    const written: unknown[] = [];
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }) => {
        written.push(text);
        return 'Written.';
      },
    });
    const model = scriptedModel((prompt) =>
      prompt.at(-1)?.role === 'tool'
        ? 'I wrote it.'
        : { text: 'Let me write.', calls: [{ id: 'c', name: 'write', arguments: '{"text":"hello"}' }] },
    );
    const agent = agentWith(model, { tools: [write], permit: () => 'ask' });
    return { ...stage, agent, model, written };
  }

  it('is asked for in the chat; a yes runs what was shown', async () => {
    const { say, agent, written, history, model } = house();
    const asked = await say(agent, 'Write hello.');
    expect((await asked.outcome).reply).toMatch(/^May I run `write` with `{"text":"hello"}`\?/);
    expect(written).toEqual([]);
    expect((await (await say(agent, 'Yes!')).outcome).reply).toBe('I wrote it.');
    expect(written).toEqual(['hello']);
    expect(told(await history()).map((line) => line.slice(0, 60))).toEqual([
      'user: Write hello.',
      'assistant: Let me write. → write',
      'tool: Not run yet: the person is being asked for permission.',
      'assistant: May I run `write` with `{"text":"hello"}`? Answer',
      'user: Yes!',
      'assistant:  → write',
      'tool: Written.',
      'assistant: I wrote it.',
    ]);
    expect(model.illegal).toEqual([]);
  });

  it('is not run for anything but a yes, and a yes counts once', async () => {
    const { say, agent, written } = house();
    await (await say(agent, 'Write hello.')).outcome;
    expect((await (await say(agent, 'No, never mind.')).outcome).reply).toContain('May I run');
    await (await say(agent, 'yes')).outcome;
    expect((await (await say(agent, 'Again.')).outcome).reply).toContain('May I run');
    expect(written).toEqual(['hello']);
  });

  it('is not asked for again after an always, in this session alone', async () => {
    const { say, agent, written } = house();
    await (await say(agent, 'Write hello.')).outcome;
    await (await say(agent, 'always')).outcome;
    expect((await (await say(agent, 'Again.')).outcome).reply).toBe('I wrote it.');
    expect(written).toEqual(['hello', 'hello']);
    expect((await (await say(agent, 'Write hello.', 's2')).outcome).reply).toContain('May I run');
  });

  it.each([
    ['is denied', () => 'deny' as const],
    [
      'breaks the hook',
      () => {
        throw new Error('no such policy');
      },
    ],
  ])('that %s is not run, and the model is told', async (_case, permit) => {
    const { say, agent, written, history } = house();
    expect((await (await say({ ...agent, permit }, 'Write hello.')).outcome).reply).toBe('I wrote it.');
    expect(written).toEqual([]);
    expect(told(await history())[2]).toBe('tool: write is not allowed here. It was not run. [failed]');
  });

  it('tells those who watch as any other answer does', async () => {
    const { say, agent } = house();
    const events = await eventsOf(await say(agent, 'Write hello.'));
    const text = events.map((event) => (event.type === 'token' ? event.text : '')).join('');
    expect(text).toContain('May I run');
    expect(events.filter(({ type }) => type === 'tool')).toMatchObject([{ phase: 'failed', name: 'write' }]);
  });
});
