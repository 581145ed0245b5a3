import { createMemoryBackend } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import {
  cutOff,
  finish,
  promptText,
  type ScriptedAnswer,
  scriptedModel,
  words,
  wordsThenSilence,
} from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf, told, untilSaid } from '../test/stage.js';
import { SUMMARY_INSTRUCTIONS } from './index.js';

const context = { summariseAtMessages: 4, keepMessages: 2 };

/** Answers "Answer N", and writes a summary when it is told to; `summaries` says how each one goes. */
function talker(summaries: (number: number) => ScriptedAnswer = (number) => `MEMORY ${number}`) {
  const counts = { answers: 0, summaries: 0 };
  return scriptedModel((prompt) => {
    const isSummary = prompt[0]?.role === 'system' && prompt[0].content === SUMMARY_INSTRUCTIONS;
    if (isSummary) return summaries(++counts.summaries);
    return `Answer ${++counts.answers}`;
  });
}

async function talk(
  stage: ReturnType<typeof createStage>,
  model: ReturnType<typeof talker>,
  questions: readonly string[],
) {
  const events = [];
  for (const question of questions) {
    events.push(...(await eventsOf(await stage.say(agentWith(model, { context }), question))));
  }
  return events.filter((event) => event.type === 'summary');
}

describe('the older part of a session', () => {
  it('becomes its summary: marked as over, beside the newest words as they were said, and once only', async () => {
    const stage = createStage();
    const model = talker();
    const events = await talk(stage, model, ['one', 'two', 'three', 'four', 'five']);
    expect(events).toMatchObject([
      { phase: 'start', throughSeq: 4 },
      { phase: 'end', throughSeq: 4, summary: 'MEMORY 1' },
      { phase: 'start', throughSeq: 8 },
      { phase: 'end', throughSeq: 8, summary: 'MEMORY 2' },
    ]);
    const meta = await stage.backend.meta('s1');
    expect(meta).toMatchObject({ summary: 'MEMORY 2', cutoff: 8, activeCount: 2, messageCount: 10 });
    expect(told(await stage.backend.read('s1'))).toEqual(['user: five', 'assistant: Answer 5']);

    const [first, second] = model.prompts.filter((prompt) =>
      promptText(prompt).includes('Write the new memory'),
    );
    expect(promptText(first ?? [])).toMatch(/Person: one.*Assistant: Answer 1.*Person: two/s);
    expect(promptText(first ?? [])).not.toContain('three');
    expect(promptText(second ?? [])).toMatch(/The memory so far:.*MEMORY 1.*Person: three/s);
    expect(promptText(second ?? [])).not.toContain('Person: one');
    const last = model.prompts.at(-1) ?? [];
    expect(last[0]?.content).toMatch(
      /in short. It is over and done with; it is context, not a task:\nMEMORY 2/,
    );
    expect(promptText(last.slice(1))).toBe(
      promptText([{ role: 'user', content: [{ type: 'text', text: 'five' }] }]),
    );
  });

  it('is read no more: a turn costs what it shows', async () => {
    const memory = createMemoryBackend();
    let read = 0;
    const backend = {
      ...memory,
      read: async (...given: Parameters<typeof memory.read>) => {
        const messages = await memory.read(...given);
        read = Math.max(read, messages.length);
        return messages;
      },
    };
    const stage = createStage({ backend });
    await talk(
      stage,
      talker(),
      Array.from({ length: 30 }, (_, index) => `question ${index}`),
    );
    expect(read).toBeLessThanOrEqual(5);
  });

  it('takes its instructions along', async () => {
    const stage = createStage();
    await stage.backend.ensure('s1');
    await stage.backend.append('s1', [
      { role: 'system', content: 'An old profile.', meta: { origin: 'agent-prompt' } },
      { role: 'system', content: 'Speak like a pirate.' },
      { role: 'system', content: 'You are Ada.', meta: { origin: 'agent-prompt' } },
    ]);
    const model = talker();
    await talk(stage, model, ['one', 'two', 'three', 'four']);
    const system = String(model.prompts.at(-1)?.[0]?.content);
    expect(system).toContain('You are Ada.');
    expect(system).toContain('Speak like a pirate.');
    expect(system).not.toContain('An old profile.');
    expect((await stage.backend.read('s1')).filter(({ role }) => role === 'system')).toHaveLength(2);
  });

  it('goes on without the turn that is taken back, with its instructions and its summary', async () => {
    const stage = createStage();
    await stage.backend.ensure('s1');
    await stage.backend.append('s1', [{ role: 'system', content: 'Speak like a pirate.' }]);
    await talk(stage, talker(), ['one', 'two']);
    const model = scriptedModel((prompt) =>
      prompt[0]?.content === SUMMARY_INSTRUCTIONS ? 'MEMORY' : wordsThenSilence('Half '),
    );
    const turn = await stage.say(agentWith(model, { context }), 'a mistake');
    await untilSaid(turn, 'Half');
    turn.stop('A mistake.', 'hard');
    await turn.outcome;
    expect((await stage.backend.meta('s1'))?.summary).toBe('MEMORY');
    expect(told(await stage.backend.read('s1'))).toEqual(['system: Speak like a pirate.']);
  });

  it('keeps what came while its summary was written', async () => {
    const stage = createStage();
    const model = talker(
      () =>
        async function* () {
          await stage.backend.append('s1', [{ role: 'user', content: 'and one more thing' }]);
          yield* words('MEMORY');
          yield finish();
        },
    );
    await talk(stage, model, ['one', 'two', 'three']);
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: 'MEMORY', cutoff: 4 });
    expect(told(await stage.backend.read('s1'))).toEqual([
      'user: three',
      'user: and one more thing',
      'assistant: Answer 3',
    ]);
  });
});

describe('a summary that comes to nothing', () => {
  it.each<[string, ScriptedAnswer, string]>([
    ['is refused', { refuse: new Error('no credit left') }, 'no credit left'],
    ['is empty', ' ', 'empty'],
    ['is an error in words', '{"error": {"message": "overloaded"}}', 'error instead of a summary'],
    ['is half a summary', cutOff('They spoke of'), 'cut off'],
  ])('%s: history and earlier summary stay, it is said, and the turn goes on', async (_case, answer, why) => {
    const stage = createStage();
    const model = talker((number) => (number === 1 ? 'MEMORY' : answer));
    const events = await talk(stage, model, ['one', 'two', 'three', 'four', 'five']);
    expect(events.at(-1)).toMatchObject({
      phase: 'failed',
      throughSeq: 8,
      error: expect.stringContaining(why),
    });
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: 'MEMORY', cutoff: 4, messageCount: 10 });
    expect(told(await stage.backend.read('s1'))).toEqual([
      'user: three',
      'assistant: Answer 3',
      'user: four',
      'assistant: Answer 4',
      'user: five',
      'assistant: Answer 5',
    ]);
  });

  it('comes too late for a session that was reset meanwhile: the new segment has none', async () => {
    const stage = createStage();
    const model = talker(
      () =>
        async function* () {
          await stage.backend.reset('s1');
          yield* words('MEMORY');
          yield finish();
        },
    );
    await talk(stage, model, ['one', 'two', 'three']);
    expect((await stage.backend.meta('s1'))?.summary).toBe('');
  });

  it('is stopped with its turn', async () => {
    const stage = createStage();
    const model = talker(
      () =>
        async function* () {
          await new Promise(() => {});
          yield 0;
        },
    );
    await talk(stage, model, ['one', 'two']);
    const turn = await stage.say(agentWith(model, { context }), 'three');
    for await (const event of turn.events) if (event.type === 'summary') turn.stop('enough');
    expect((await turn.outcome).status).toBe('stopped');
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: '', cutoff: 0 });
  });

  it('is not tried where compaction is off', async () => {
    const stage = createStage();
    const model = talker();
    for (const question of ['one', 'two', 'three', 'four']) {
      const off = agentWith(model, { context: { ...context, automatic: false } });
      await (await stage.say(off, question)).outcome;
    }
    expect(await stage.backend.meta('s1')).toMatchObject({ summary: '', cutoff: 0 });
    expect(promptText(model.prompts.at(-1) ?? [])).toContain('one');
  });
});

it('a long older part is summarised piece by piece, each with what the one before it held', async () => {
  const stage = createStage();
  const model = talker();
  await stage.backend.ensure('s1');
  const long = 'word '.repeat(400);
  await stage.backend.append('s1', [
    { role: 'user', content: `alpha ${long}` },
    { role: 'assistant', content: `beta ${long}` },
    { role: 'user', content: `gamma ${long}` },
    { role: 'assistant', content: `delta ${long}` },
  ]);
  const agent = agentWith(model, { windowTokens: 1_500 });
  expect((await (await stage.say(agent, 'newest')).outcome).reply).toBe('Answer 1');
  const pieces = model.prompts.map(promptText).filter((text) => text.includes('Write the new memory'));
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join()).toMatch(/alpha.*beta.*gamma.*delta/s);
  pieces.slice(1).forEach((piece, index) => {
    expect(piece).toContain(`MEMORY ${index + 1}`);
  });
  expect(await stage.backend.meta('s1')).toMatchObject({ summary: `MEMORY ${pieces.length}`, cutoff: 4 });
});
