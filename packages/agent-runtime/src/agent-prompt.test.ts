import { createMemoryBackend } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptText, scriptedModel } from '../test/scripted-model.js';
import { agentWith, createStage, told } from '../test/stage.js';
import { isPromptDue } from './agent-prompt.js';

/** An agent whose profile counts how often it was read. */
function withProfile(reinjectEvery: number) {
  let reads = 0;
  const read = async () => `Profile ${++reads}`;
  const model = scriptedModel(['ok']);
  return { model, agent: agentWith(model, { prompt: { read, reinjectEvery } }) };
}

describe('the profile of an agent', () => {
  it('is the first message of a session, and the model is told it', async () => {
    const { say, history } = createStage();
    const { agent, model } = withProfile(100);
    await (await say(agent, 'Hi')).outcome;
    await (await say(agent, 'Again')).outcome;
    expect(told(await history())).toEqual([
      'system: Profile 1',
      'user: Hi',
      'assistant: ok',
      'user: Again',
      'assistant: ok',
    ]);
    expect(promptText(model.prompts[1] ?? [])).toContain('Profile 1');
    expect((await history())[0]?.meta).toEqual({ origin: 'agent-prompt' });
  });

  it('is read again and given again each time the user turns cross a multiple', async () => {
    const { say, history, backend } = createStage();
    const { agent } = withProfile(2);
    for (let count = 1; count <= 5; count += 1) await (await say(agent, `m${count}`)).outcome;
    expect(told(await history()).filter((line) => !line.startsWith('assistant'))).toEqual([
      'system: Profile 1',
      'user: m1',
      'user: m2',
      'system: Profile 2',
      'user: m3',
      'user: m4',
      'system: Profile 3',
      'user: m5',
    ]);
    expect(await backend.meta('s1')).toMatchObject({ userTurns: 5, promptInjections: 2 });
  });

  it('is as it is now after a reset, and counting begins anew', async () => {
    const { say, backend } = createStage();
    const { agent } = withProfile(2);
    for (const text of ['one', 'two', 'three']) await (await say(agent, text)).outcome;
    await backend.reset('s1');
    await (await say(agent, 'four')).outcome;
    expect(told(await backend.read('s1'))).toEqual(['system: Profile 3', 'user: four', 'assistant: ok']);
    expect(await backend.meta('s1')).toMatchObject({ userTurns: 1, promptInjections: 0 });
  });

  it('that cannot be read is a warning, and one that is empty is none', async () => {
    const { say, history, warnings } = createStage();
    const model = scriptedModel(['ok']);
    const read = async () => Promise.reject(new Error('EACCES'));
    await (await say(agentWith(model, { prompt: { read } }), 'Hi')).outcome;
    expect(warnings).toEqual(['The profile of an agent cannot be read.']);
    await (await say(agentWith(model, { prompt: { read: async () => ' ' } }), 'Hi', 's2')).outcome;
    expect(told([...(await history()), ...(await history('s2'))])).not.toContain('system');
  });
});

it('is given once for each multiple, whatever number of messages came in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
      async (every, turns) => {
        const backend = createMemoryBackend();
        await backend.ensure('s');
        let expected = 0;
        let turnsSoFar = 0;
        let crossed = 0;
        for (const messages of turns) {
          const meta = await backend.meta('s');
          if (meta === undefined) throw new Error('It was ensured.');
          const isDue = isPromptDue(meta, await backend.read('s'), every);
          const nowCrossed = Math.floor(turnsSoFar / every);
          expect(isDue).toBe(expected === 0 || nowCrossed > crossed);
          if (isDue) {
            expected += 1;
            crossed = nowCrossed;
            await backend.append('s', [{ role: 'system', content: 'P', meta: { origin: 'agent-prompt' } }]);
          }
          const said = Array.from({ length: messages }, () => ({ role: 'user' as const, content: 'm' }));
          await backend.append('s', said);
          turnsSoFar += messages;
        }
      },
    ),
  );
});
