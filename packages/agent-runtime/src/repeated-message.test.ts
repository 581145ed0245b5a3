import { describe, expect, it } from 'vitest';
import { scriptedModel, wordsThenSilence } from '../test/scripted-model.js';
import { agentWith, createStage, eventsOf, told, untilSaid } from '../test/stage.js';

const message = { text: 'Hi', id: 'm1' };

describe('the same message again', () => {
  it('joins the turn that runs or waits', async () => {
    const { say, history } = createStage();
    const agent = agentWith(scriptedModel(['one', 'two']));
    const turns = await Promise.all([say(agent, message), say(agent, 'other'), say(agent, message)]);
    expect(turns[2]).toBe(turns[0]);
    await Promise.all(turns.map(({ outcome }) => outcome));
    expect(told(await history())).toEqual(['user: Hi', 'assistant: one', 'user: other', 'assistant: two']);
  });

  it('is a message of its own in another session', async () => {
    const { say } = createStage();
    const agent = agentWith(scriptedModel(['ok']));
    const [one, two] = await Promise.all([say(agent, message, 'a'), say(agent, message, 'b')]);
    expect(one).not.toBe(two);
    expect([(await one.outcome).status, (await two.outcome).status]).toEqual(['done', 'done']);
  });

  it('gets the stored answer, as if it had just been given', async () => {
    const { say, history } = createStage();
    const model = scriptedModel(['Hello there']);
    await (await say(agentWith(model), message)).outcome;
    await (await say(agentWith(model), 'more')).outcome;
    const again = await say(agentWith(model), message);
    expect(await again.accepted).toEqual({ seq: 1, id: 'm1' });
    expect((await eventsOf(again)).map(({ type }) => type)).toEqual([
      'started',
      'accepted',
      'token',
      'message',
      'ended',
    ]);
    expect(await again.outcome).toMatchObject({
      status: 'done',
      reply: 'Hello there',
      messages: [{ seq: 2 }],
    });
    expect(model.prompts).toHaveLength(2);
    expect(await history()).toHaveLength(4);
  });

  it('is answered now where the first answer failed, and is not stored again', async () => {
    const { say, history } = createStage();
    const model = scriptedModel([{ refuse: new Error('down') }, 'Hello.']);
    expect((await (await say(agentWith(model), message)).outcome).status).toBe('failed');
    expect((await (await say(agentWith(model), message)).outcome).reply).toBe('Hello.');
    expect((await (await say(agentWith(model), message)).outcome).reply).toBe('Hello.');
    expect(model.prompts).toHaveLength(2);
    expect((await history()).map(({ role, meta }) => [role, meta?.status])).toEqual([
      ['user', undefined],
      ['assistant', 'failed'],
      ['assistant', undefined],
    ]);
  });

  it('stays stopped where a person stopped it', async () => {
    const { say } = createStage();
    const agent = agentWith(scriptedModel([wordsThenSilence('Long ')]));
    const turn = await say(agent, message);
    await untilSaid(turn, 'Long');
    turn.stop('enough');
    await turn.outcome;
    expect(await (await say(agent, message)).outcome).toMatchObject({ status: 'stopped', reply: 'Long ' });
  });

  it('is not answered out of order: after later messages, how it ended stays', async () => {
    const { say, backend } = createStage();
    await backend.ensure('s1');
    await backend.append('s1', [
      { role: 'user', content: 'Hi', id: 'm1' },
      { role: 'assistant', content: 'Sorry.', meta: { status: 'failed', error: 'It broke.' } },
      { role: 'user', content: 'Next', id: 'm2' },
    ]);
    const model = scriptedModel(['Later.']);
    const again = await (await say(agentWith(model), message)).outcome;
    expect(again).toMatchObject({ status: 'failed', error: { message: 'It broke.' }, reply: 'Sorry.' });
    expect(model.prompts).toHaveLength(0);
  });
});
