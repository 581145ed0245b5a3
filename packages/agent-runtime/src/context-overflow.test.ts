import { messageText } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cutOff, promptText, type ScriptedAnswer, scriptedModel, tooLong } from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf, told } from '../test/stage.js';
import { defineTool, SUMMARY_INSTRUCTIONS } from './index.js';

const isSummary = (prompt: Parameters<typeof promptText>[0]) => prompt[0]?.content === SUMMARY_INSTRUCTIONS;

/** Refuses whatever is longer than its window; a summary it gives is short. */
function narrow(characters: number, answer: ScriptedAnswer = 'Here.') {
  return scriptedModel((prompt) => {
    if (promptText(prompt).length > characters) return tooLong();
    return isSummary(prompt) ? 'MEMORY' : answer;
  });
}

async function withHistory(messages: number, length = 1_000) {
  const stage = createStage();
  await stage.backend.ensure('s1');
  const text = 'w'.repeat(length);
  const history = Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index} ${text}`,
  }));
  await stage.backend.append('s1', history);
  return stage;
}

describe('a conversation that is too long for its model', () => {
  it('is summarised and sent again: one question, one answer in the history', async () => {
    const stage = await withHistory(20);
    const model = narrow(16_000);
    const turn = await stage.say(agentWith(model), 'newest');
    expect(await turn.outcome).toMatchObject({ status: 'done', reply: 'Here.' });
    expect((await stage.backend.meta('s1'))?.summary).toBe('MEMORY');
    const active = await stage.backend.read('s1');
    expect(told(active).slice(-2)).toEqual(['user: newest', 'assistant: Here.']);
    expect(await stage.history()).toHaveLength(22);
    expect(promptText(model.prompts.at(-1) ?? [])).toContain('newest');
  });

  it('goes on with its newest part where no summary can be made', async () => {
    const stage = await withHistory(20);
    const model = scriptedModel((prompt) => {
      if (isSummary(prompt)) return { refuse: new Error('no') };
      return promptText(prompt).length > 12_000 ? tooLong() : 'Here.';
    });
    const turn = await stage.say(agentWith(model), 'newest');
    expect((await eventsOf(turn)).filter(({ type }) => type === 'summary')).toMatchObject([
      { phase: 'start' },
      { phase: 'failed' },
    ]);
    expect(await turn.outcome).toMatchObject({ status: 'done', reply: 'Here.' });
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: '', cutoff: 0 });
    expect(promptText(model.prompts.at(-1) ?? [])).toContain('[Earlier messages are not shown.]');
  });

  it('fails after two tries, and says what to do; the next turn goes on', async () => {
    const stage = await withHistory(4);
    const model = scriptedModel([tooLong()]);
    const outcome = await (await stage.say(agentWith(model), 'newest')).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'context_exceeded' } });
    expect(outcome.error?.message).toContain('Begin a new session');
    expect(model.prompts.filter((prompt) => !isSummary(prompt))).toHaveLength(3);
    expect(model.illegal).toEqual([]);
    expect(await (await stage.say(agentWith(scriptedModel(['Better.'])), 'again')).outcome).toMatchObject({
      status: 'done',
    });
  });

  it('is sent once and left as it is where compaction is off', async () => {
    const stage = await withHistory(20);
    const model = scriptedModel([tooLong()]);
    const agent = agentWith(model, { context: { automatic: false } });
    const outcome = await (await stage.say(agent, 'newest')).outcome;
    expect(outcome.error).toMatchObject({
      code: 'context_exceeded',
      message: expect.stringContaining('automatic compaction'),
    });
    expect(model.prompts).toHaveLength(1);
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: '', cutoff: 0 });
  });

  it.each([
    ['a time-out', Object.assign(new Error('context deadline exceeded'), { statusCode: 504 })],
    ['a limit on requests', Object.assign(new Error('too many tokens per minute'), { statusCode: 429 })],
    ['a refused key', Object.assign(new Error('maximum context length of your plan'), { statusCode: 401 })],
  ])('is not what %s says', async (_case, error) => {
    const stage = await withHistory(6);
    const outcome = await (await stage.say(agentWith(scriptedModel([{ refuse: error }])), 'newest')).outcome;
    expect(outcome.error?.code).toMatch(/^model_/);
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: '', cutoff: 0 });
  });

  it('in the middle of a chain of tools keeps the question and the newest results', async () => {
    const read = defineTool({
      name: 'read',
      description: 'Reads a page.',
      inputSchema: z.object({ page: z.number() }),
      execute: async ({ page }) => `page ${page}: ${'w'.repeat(2_000)}`,
    });
    const model = scriptedModel((prompt) => {
      if (promptText(prompt).length > 9_000) return tooLong();
      const pages = [...promptText(prompt).matchAll(/"page (\d+):/g)].map(([, page]) => Number(page));
      const next = Math.max(0, ...pages) + 1;
      if (next > 8) return 'All read.';
      return { calls: [{ id: `c${next}`, name: 'read', arguments: JSON.stringify({ page: next }) }] };
    });
    const stage = createStage();
    const outcome = await (await stage.say(agentWith(model, { tools: [read] }), 'the question')).outcome;
    expect(outcome).toMatchObject({ status: 'done', reply: 'All read.' });
    for (const prompt of model.prompts) expect(promptText(prompt)).toContain('the question');
    expect((await stage.history()).filter(({ role }) => role === 'tool')).toHaveLength(8);
  });

  it('for one giant result is shown its beginning and its end; the session keeps all of it', async () => {
    const giant = `BEGIN ${'w'.repeat(400_000)} END`;
    const dump = defineTool({
      name: 'dump',
      description: 'Dumps everything.',
      inputSchema: z.object({}),
      execute: async () => giant,
    });
    const model = narrow(60_000);
    let calls = 0;
    const first = scriptedModel(() => (calls++ === 0 ? { calls: [{ id: 'c', name: 'dump' }] } : 'Seen.'));
    const stage = createStage();
    const agent = agentWith(first, { tools: [dump], windowTokens: 16_000 });
    expect((await (await stage.say(agent, 'go')).outcome).reply).toBe('Seen.');
    const shown = promptText(first.prompts.at(-1) ?? []);
    expect(shown.length).toBeLessThan(20_000);
    expect(shown).toMatch(/BEGIN w+.*characters are left out here.*w+ END/s);
    const result = (await stage.history()).find(({ role }) => role === 'tool');
    expect(result && messageText(result)).toBe(giant);
    expect(
      (await (await stage.say(agentWith(model, { windowTokens: 16_000 }), 'and now?')).outcome).status,
    ).toBe('done');
  });
});

describe('an answer that reaches the length limit', () => {
  it('is gone on with, and is one message', async () => {
    const stage = createStage();
    const model = scriptedModel([cutOff('One, two, '), cutOff('three, four, '), 'five.']);
    const turn = await stage.say(agentWith(model), 'Count.');
    expect(await turn.outcome).toMatchObject({
      status: 'done',
      reply: 'One, two, three, four, five.',
      steps: 1,
    });
    expect(told(await stage.history())).toEqual(['user: Count.', 'assistant: One, two, three, four, five.']);
    expect((await stage.history())[1]?.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    expect(promptText(model.prompts[2]?.slice(-2) ?? [])).toMatch(
      /One, two, three, four, .*Go on exactly where it stopped/s,
    );
  });

  it('is asked for twice more at most, and then kept as far as it came', async () => {
    const stage = createStage();
    const model = scriptedModel([cutOff('and '), cutOff('on '), cutOff('and ')]);
    expect((await (await stage.say(agentWith(model), 'Go.')).outcome).reply).toBe('and on and ');
    expect(model.prompts).toHaveLength(3);
    expect((await stage.history())[1]?.meta).toEqual({ cutOff: true });
  });

  it('before a word was said is asked for again, shorter', async () => {
    const stage = createStage();
    const model = scriptedModel([cutOff(''), 'In short: yes.']);
    expect((await (await stage.say(agentWith(model), 'Think.')).outcome).reply).toBe('In short: yes.');
    expect(promptText(model.prompts[1] ?? [])).toContain('Answer again, shorter');
    const silent = await (await stage.say(agentWith(scriptedModel([cutOff('')])), 'Again.')).outcome;
    expect(silent.error).toMatchObject({ code: 'empty_answer' });
  });
});
