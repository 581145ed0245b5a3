import { describe, expect, it } from 'vitest';
import { promptText, scriptedModel } from '../../test/scripted-model.js';
import { agentWith, createStage, told } from '../../test/stage.js';
import { sessionUsage, summariseSession } from '../index.js';

async function house(turns: number) {
  const { backend } = createStage();
  const sessionKey = 's1';
  await backend.ensure(sessionKey);
  await backend.append(sessionKey, [
    { role: 'system', content: 'You are Ada.', meta: { origin: 'agent-prompt' } },
  ]);
  for (let turn = 1; turn <= turns; turn += 1) {
    await backend.append(sessionKey, [
      { role: 'user', content: `question ${turn}` },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
      { role: 'tool', content: `result ${turn}`, toolCallId: 'c', toolName: 'look' },
      { role: 'assistant', content: `answer ${turn}` },
    ]);
  }
  return { backend, sessionKey };
}

describe('a session that is summarised by hand', () => {
  it('keeps its newest turns and its instructions, and counts what it took', async () => {
    const place = await house(4);
    const model = scriptedModel(['MEMORY']);
    expect(await summariseSession({ ...place, agent: agentWith(model) })).toEqual({
      summary: 'MEMORY',
      messages: 9,
    });
    const meta = await place.backend.meta('s1');
    expect(meta).toMatchObject({ summary: 'MEMORY', cutoff: 9 });
    expect(meta && sessionUsage(meta)).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    const active = told(await place.backend.read('s1'));
    expect([active[0], active.at(-1)]).toEqual(['user: question 3', 'system: You are Ada.']);
    expect(promptText(model.prompts[0] ?? [])).toMatch(/question 1.*result 1.*answer 2/s);
  });

  it('is left as it is where there is nothing to put into a summary', async () => {
    const place = await house(2);
    expect(await summariseSession({ ...place, agent: agentWith(scriptedModel(['MEMORY'])) })).toBeUndefined();
    const nobody = { ...place, sessionKey: 'missing', agent: agentWith(scriptedModel(['MEMORY'])) };
    expect(await summariseSession(nobody)).toBeUndefined();
  });

  it('is left as it is where the model fails or was overtaken', async () => {
    const place = await house(4);
    const broken = agentWith(scriptedModel([{ refuse: new Error('no credit left') }]));
    await expect(summariseSession({ ...place, agent: broken })).rejects.toThrow('no credit left');
    const overtaken = scriptedModel(() => {
      void place.backend.reset('s1');
      return 'MEMORY';
    });
    await expect(summariseSession({ ...place, agent: agentWith(overtaken) })).rejects.toThrow(
      'was reset or cut',
    );
    expect((await place.backend.meta('s1'))?.summary).toBe('');
  });

  it('may be of any length: nothing of the older part is left out', async () => {
    const place = await house(60);
    const model = scriptedModel((_prompt, call) => `MEMORY ${call}`);
    const done = await summariseSession({ ...place, agent: agentWith(model, { windowTokens: 2_000 }) });
    expect(model.prompts.length).toBeGreaterThan(1);
    expect(done?.summary).toBe(`MEMORY ${model.prompts.length - 1}`);
    const asked = model.prompts.map(promptText).join();
    for (let turn = 1; turn <= 58; turn += 1) expect(asked).toContain(`question ${turn}\\n`);
  });
});
