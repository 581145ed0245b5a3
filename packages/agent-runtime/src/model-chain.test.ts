import { createMemoryBackend } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { type ScriptedAnswer, scriptedModel, words } from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf } from '../test/stage.js';
import { type AgentModel, sessionUsage } from './index.js';

const failing = (statusCode: number, headers: Record<string, string> = {}): ScriptedAnswer => ({
  refuse: Object.assign(new Error('no'), { statusCode, responseHeaders: headers }),
});

function named(
  modelName: string,
  script: Parameters<typeof scriptedModel>[0],
  more: Partial<AgentModel> = {},
) {
  const model = scriptedModel(script);
  return { model, modelName, asked: () => model.prompts.length, ...more };
}

function stageWithClock() {
  const time = { now: 1_700_000_000_000 };
  const stage = createStage({ clock: () => new Date(time.now), createId: () => crypto.randomUUID() });
  function pass(ms: number): void {
    time.now += ms;
  }
  return { ...stage, pass };
}

describe('a model that fails', () => {
  it('is followed by the next, whose name stands with the answer, and rests for a while', async () => {
    const stage = stageWithClock();
    const first = named('first', (_prompt, call) => (call < 1 ? failing(401) : 'First again.'));
    const second = named('second', ['Second.']);
    const agent = agentWith(first.model, { modelName: 'first', fallbacks: [second] });
    const turn = await stage.say(agent, 'one');
    expect((await eventsOf(turn)).filter(({ type }) => type === 'model')).toMatchObject([
      { phase: 'fallback', modelName: 'second', reason: expect.stringContaining('HTTP 401') },
    ]);
    expect((await stage.history())[1]).toMatchObject({ content: 'Second.', modelName: 'second' });
    await (await stage.say(agent, 'two')).outcome;
    expect([first.asked(), second.asked()]).toEqual([1, 2]);
    stage.pass(301_000);
    expect((await (await stage.say(agent, 'three')).outcome).reply).toBe('First again.');
  });

  it('rests as long as the provider says, in seconds or until a date', async () => {
    for (const wait of ['1800', new Date(Date.now() + 1_800_000).toUTCString()]) {
      const stage = stageWithClock();
      const first = named('first', [failing(429, { 'retry-after': wait }), 'First again.']);
      const agent = agentWith(first.model, { modelName: 'first', fallbacks: [named('second', ['Second.'])] });
      expect((await (await stage.say(agent, 'one')).outcome).reply).toBe('Second.');
      stage.pass(1_700_000);
      expect((await (await stage.say(agent, 'two')).outcome).reply).toBe('Second.');
      stage.pass(200_000);
      expect((await (await stage.say(agent, 'three')).outcome).reply).toBe('First again.');
      expect(first.asked()).toBe(2);
    }
  });

  it('is waited for as long as it asks, where it asks for little, and not at all where it asks for much', async () => {
    const { say } = createStage();
    const soon = named('m', [failing(429, { 'retry-after-ms': '1' }), 'Here.']);
    expect((await (await say(agentWith(soon.model), 'one')).outcome).reply).toBe('Here.');
    const late = named('m', [failing(429, { 'retry-after': '3600' })]);
    const outcome = await (await say(agentWith(late.model), 'two', 's2')).outcome;
    expect(outcome.error?.message).toContain('HTTP 429');
    expect(late.asked()).toBe(1);
  });

  it('is asked all the same where every one rests', async () => {
    const stage = stageWithClock();
    const models = ['a', 'b'].map((name) => named(name, [failing(403), 'Here.']));
    const [first, second] = models;
    if (first === undefined || second === undefined) throw new Error('two models');
    const agent = agentWith(first.model, { modelName: 'a', fallbacks: [second] });
    expect((await (await stage.say(agent, 'one')).outcome).status).toBe('failed');
    expect((await (await stage.say(agent, 'two')).outcome).reply).toBe('Here.');
    expect(models.map(({ asked }) => asked())).toEqual([2, 1]);
  });

  it('is not replaced once a word of it was shown', async () => {
    const stage = createStage();
    const first = named('first', [
      async function* () {
        yield* words('Half ');
        throw new Error('socket hang up');
      },
    ]);
    const second = named('second', ['Second.']);
    const agent = agentWith(first.model, { fallbacks: [second] });
    expect(await (await stage.say(agent, 'one')).outcome).toMatchObject({ status: 'failed', reply: 'Half ' });
    expect(second.asked()).toBe(0);
  });
});

describe('a light model', () => {
  it('answers what asks little, the agent’s own what asks more, and each stands in for the other', async () => {
    const stage = createStage();
    const light = named('light', (_prompt, call) => (call < 1 ? 'Light.' : failing(404)));
    const own = named('own', ['Own.']);
    const agent = agentWith(own.model, { modelName: 'own', light });
    const turn = await stage.say(agent, 'hi');
    expect((await eventsOf(turn)).find(({ type }) => type === 'model')).toMatchObject({
      phase: 'chosen',
      modelName: 'light',
      reason: 'light: scored 0.00',
    });
    expect((await turn.outcome).reply).toBe('Light.');
    const harder = await stage.say(agent, '```js\nmain()\n```');
    expect((await eventsOf(harder)).find(({ type }) => type === 'model')).toMatchObject({
      modelName: 'own',
      reason: 'primary: scored 0.40 (code block 0.40)',
    });
    expect((await (await stage.say(agent, 'hi again')).outcome).reply).toBe('Own.');
    expect((await stage.history()).map(({ modelName }) => modelName)).toEqual([
      undefined,
      'light',
      undefined,
      'own',
      undefined,
      'own',
    ]);
  });

  it('is passed over where the session is too long for it', async () => {
    const stage = createStage();
    await stage.backend.ensure('s1');
    await stage.backend.append('s1', [
      { role: 'user', content: 'word '.repeat(2_000) },
      { role: 'assistant', content: 'ok' },
    ]);
    const light = named('light', ['Light.'], { windowTokens: 4_000 });
    expect((await (await stage.say(agentWith(scriptedModel(['Own.']), { light }), 'hi')).outcome).reply).toBe(
      'Own.',
    );
  });
});

describe('what a turn takes', () => {
  it('stands with each answer, and summed in the outcome and the session', async () => {
    const stage = createStage();
    const price = { inputPerMillion: 3, outputPerMillion: 15 };
    const agent = agentWith(scriptedModel(['Here.']), { price });
    const outcome = await (await stage.say(agent, 'one')).outcome;
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cost: 0.000105 };
    expect(outcome.usage).toEqual(usage);
    expect((await stage.history())[1]?.usage).toEqual(usage);
    await (await stage.say(agent, 'two')).outcome;
    const meta = await stage.backend.meta('s1');
    expect(meta && sessionUsage(meta)).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      totalTokens: 30,
      cost: 0.00021,
    });
  });

  it('begins no session anew that was deleted meanwhile', async () => {
    const backend = createMemoryBackend();
    const stage = createStage({ backend });
    const model = scriptedModel([
      async function* () {
        yield* words('Here.');
        yield {
          type: 'finish',
          finishReason: { unified: 'stop', raw: '' },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        };
        await backend.delete('s1');
      },
    ]);
    await (await stage.say(agentWith(model), 'one')).outcome;
    expect((await backend.list()).sessions).toEqual([]);
    expect((await backend.list({ deleted: true })).sessions).toHaveLength(1);
  });
});
