import { createMemoryBackend } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatedTool } from '../test/gated-tool.js';
import { lastUserText, promptText, scriptedModel } from '../test/scripted-model.js';
import {
  agentWith,
  createMemoryJournal,
  createStage,
  eventsOf,
  killable,
  told,
  untilSaid,
} from '../test/stage.js';
import { waitingMessages } from './waiting-message.js';

const call = (id: string, name: string) => ({ id, name });

describe('a message for a session whose turn runs', () => {
  it('joins between two tools: the running one ends, those not yet run are skipped, the model is asked again', async () => {
    const { say, steer, history } = createStage();
    const slow = gatedTool('slow');
    const model = scriptedModel([
      { text: 'Three things.', calls: [call('a', 'slow'), call('b', 'slow'), call('c', 'slow')] },
      'Then only the first.',
    ]);
    const agent = agentWith(model, { tools: [slow.tool] });
    const turn = await say(agent, 'Do three things');
    await slow.called();
    const joined = await steer(agent, { text: 'Stop after the first', id: 'steer' });
    expect(await joined.accepted).toEqual({ id: 'steer' });
    slow.finish('first done');
    const outcome = await turn.outcome;
    expect(told(await history())).toEqual([
      'user: Do three things',
      'assistant: Three things. → slow, slow, slow',
      'tool: first done',
      'tool: Skipped: the person said something meanwhile. It was not run. [skipped]',
      'tool: Skipped: the person said something meanwhile. It was not run. [skipped]',
      'user: Stop after the first',
      'assistant: Then only the first.',
    ]);
    expect(model.illegal).toEqual([]);
    expect([turn.isJoined, joined.isJoined]).toEqual([false, true]);
    expect(await joined.outcome).toBe(outcome);
    const skipped = (await eventsOf(turn)).filter(
      (event) => event.type === 'tool' && event.phase === 'skipped',
    );
    expect(skipped).toHaveLength(2);
  });

  it('joins after a direct answer: both answers are kept, and both are the reply', async () => {
    const { say, steer, history } = createStage();
    const model = scriptedModel((prompt) => `re ${lastUserText(prompt)}`);
    const agent = agentWith(model);
    const turn = await say(agent, 'one');
    await turn.accepted;
    const joined = await steer(agent, 'two');
    expect((await turn.outcome).reply).toBe('re one\n\nre two');
    expect(told(await history())).toEqual([
      'user: one',
      'assistant: re one',
      'user: two',
      'assistant: re two',
    ]);
    expect((await joined.outcome).status).toBe('done');
  });

  it('joins at the beginning where it comes in the same moment', async () => {
    const { steer, history, runtime } = createStage();
    const model = scriptedModel(['Both, then.']);
    const agent = agentWith(model, { steering: 'all' });
    const [first, second] = await Promise.all([steer(agent, 'this'), steer(agent, 'and that')]);
    await Promise.all([first.outcome, second.outcome]);
    const lines = told(await history());
    expect(lines.filter((line) => line.startsWith('user'))).toEqual(['user: this', 'user: and that']);
    expect([first.isJoined, second.isJoined]).toEqual([false, true]);
    expect(second.id).toBe(first.id);
    expect(runtime.active()).toEqual([]);
  });

  it('is one of eleven quick ones: all are seen by the model, in order', async () => {
    const { say, steer, history } = createStage();
    const slow = gatedTool('slow');
    const model = scriptedModel((prompt, step) =>
      step === 0 ? { calls: [call('a', 'slow')] } : `re ${lastUserText(prompt)}`,
    );
    const agent = agentWith(model, { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    const texts = Array.from({ length: 11 }, (_, place) => `message ${place + 1}`);
    const joined = await Promise.all(texts.map((text) => steer(agent, text)));
    await Promise.all(joined.map(({ accepted }) => accepted));
    slow.finish('done');
    expect((await turn.outcome).status).toBe('done');
    const users = told(await history()).filter((line) => line.startsWith('user'));
    expect(users).toEqual(['user: begin', ...texts.map((text) => `user: ${text}`)]);
    expect(model.prompts).toHaveLength(12);
    const last = promptText(model.prompts.at(-1) ?? []);
    for (const text of texts) expect(last).toContain(text);
  });

  it('joins with all others at once where the agent takes them so', async () => {
    const { say, steer } = createStage();
    const slow = gatedTool('slow');
    const model = scriptedModel([{ calls: [call('a', 'slow')] }, 'All seen.']);
    const agent = agentWith(model, { tools: [slow.tool], steering: 'all' });
    const turn = await say(agent, 'begin');
    await slow.called();
    for (const text of ['one', 'two', 'three']) await (await steer(agent, text)).accepted;
    slow.finish('done');
    expect((await turn.outcome).steps).toBe(2);
  });

  it('may bring media, and is stored with what came with it', async () => {
    const { say, steer, history } = createStage();
    const slow = gatedTool('slow');
    const model = scriptedModel([{ calls: [call('a', 'slow')] }, 'A cat.']);
    const agent = agentWith(model, { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    const media = ['https://example.org/cat.png'];
    await (await steer(agent, { text: '', media, id: 'm2', meta: { from: 'phone' } })).accepted;
    slow.finish('done');
    await turn.outcome;
    expect((await history()).find(({ id }) => id === 'm2')).toMatchObject({ media, meta: { from: 'phone' } });
  });

  it('waits beyond a bound with whoever sends it: queue_full, and nothing is dropped', async () => {
    const { say, steer } = createStage({ limits: { queuedPerSession: 2 } });
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }, 'ok']), { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    await steer(agent, 'one');
    await steer(agent, 'two');
    await expect(steer(agent, 'three')).rejects.toMatchObject({ code: 'queue_full' });
    slow.finish('done');
    expect((await turn.outcome).status).toBe('done');
    expect((await (await steer(agent, 'three')).outcome).status).toBe('done');
  });

  it('that another agent is to answer gets a turn of its own', async () => {
    const { say, steer } = createStage();
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }, 'mine']), { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    const other = await steer(agentWith(scriptedModel(['another']), { id: 'other' }), 'you');
    slow.finish('done');
    expect((await turn.outcome).reply).toBe('mine');
    expect(await other.outcome).toMatchObject({ reply: 'another' });
    expect(other.isJoined).toBe(false);
  });

  it('that comes twice under one id is taken once', async () => {
    const { say, steer, history } = createStage();
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }, 'ok']), { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    const first = await steer(agent, { text: 'more', id: 'm2' });
    expect(await steer(agent, { text: 'more', id: 'm2' })).toBe(first);
    slow.finish('done');
    await turn.outcome;
    expect(told(await history()).filter((line) => line === 'user: more')).toHaveLength(1);
  });
});

describe('a message that waits', () => {
  it('is answered by a turn of its own where the running one is stopped or fails', async () => {
    const { say, steer, history, backend } = createStage();
    const slow = gatedTool('slow');
    const model = scriptedModel([{ calls: [call('a', 'slow')] }, 'Now yours.']);
    const agent = agentWith(model, { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    const waiting = await steer(agent, { text: 'and this', id: 'm2' });
    await waiting.accepted;
    turn.stop('enough');
    expect((await turn.outcome).status).toBe('stopped');
    expect(await waiting.outcome).toMatchObject({ status: 'done', reply: 'Now yours.' });
    expect(waiting.isJoined).toBe(false);
    expect(told(await history()).slice(-2)).toEqual(['user: and this', 'assistant: Now yours.']);
    expect(waitingMessages((await backend.meta('s1'))?.attributes ?? {})).toEqual([]);
  });

  it('when the process is killed is answered after the restart, in order, once', async () => {
    const disk = createMemoryBackend();
    const journal = createMemoryJournal();
    const before = killable(disk);
    const first = createStage({ backend: before.backend, journal });
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }, 'never']), { tools: [slow.tool] });
    await first.say(agent, { text: 'begin', id: 'm1' });
    await slow.called();
    for (const id of ['m2', 'm3']) await (await first.steer(agent, { text: id, id })).accepted;
    before.kill();

    const model = scriptedModel((prompt) => `re ${lastUserText(prompt)}`);
    const agents = () => agentWith(model);
    const second = createStage({ backend: disk, journal, agents, createId: ids('after') });
    const [recovered] = await second.runtime.recover();
    expect(recovered).toMatchObject({ interrupted: true, goesOn: { inputId: 'm2' } });
    await recovered?.goesOn?.outcome;
    expect(told(await second.history())).toEqual([
      'user: begin',
      'assistant:  → slow',
      'tool: Interrupted before a result was recorded. It may or may not have run. [interrupted]',
      'assistant: Interrupted before an answer. [interrupted]',
      'user: m2',
      'user: m3',
      'assistant: re m2\nm3',
    ]);
    expect(await second.runtime.continue('s1')).toBeUndefined();
    expect(await second.runtime.recover()).toEqual([]);
  });

  it('is taken up with the next message where nobody recovered', async () => {
    const disk = createMemoryBackend();
    const before = killable(disk);
    const first = createStage({ backend: before.backend });
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }]), { tools: [slow.tool] });
    await first.say(agent, 'begin');
    await slow.called();
    await (await first.steer(agent, { text: 'waited', id: 'm2' })).accepted;
    before.kill();
    const second = createStage({ backend: disk, createId: ids('after') });
    const model = scriptedModel((prompt) => `re ${lastUserText(prompt)}`);
    await (await second.say(agentWith(model), 'hello?')).outcome;
    expect(told(await second.history()).filter((line) => line.startsWith('user'))).toEqual([
      'user: begin',
      'user: hello?',
      'user: waited',
    ]);
  });

  it('when the runtime is closed is kept for the next start', async () => {
    const backend = createMemoryBackend();
    const journal = createMemoryJournal();
    const first = createStage({ backend, journal });
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }]), { tools: [slow.tool] });
    await first.say(agent, 'begin');
    await slow.called();
    const waiting = await first.steer(agent, { text: 'later', id: 'm2' });
    await waiting.accepted;
    await first.runtime.close();
    expect((await waiting.outcome).status).toBe('interrupted');
    const agents = () => agentWith(scriptedModel(['Here I am.']));
    const second = createStage({ backend, journal, agents, createId: ids('after') });
    const recovered = await second.runtime.recover();
    expect((await recovered.at(-1)?.goesOn?.outcome)?.reply).toBe('Here I am.');
    expect(told(await second.history()).at(-2)).toBe('user: later');
  });

  it('is refused where the store does not take it, and the turn goes on', async () => {
    const memory = createMemoryBackend();
    let isFull = false;
    const backend = {
      ...memory,
      ensure: async (...given: Parameters<typeof memory.ensure>) => {
        if (isFull) throw new Error('disk full');
        return memory.ensure(...given);
      },
    };
    const { say, steer, history } = createStage({ backend });
    const slow = gatedTool('slow');
    const agent = agentWith(scriptedModel([{ calls: [call('a', 'slow')] }, 'ok']), { tools: [slow.tool] });
    const turn = await say(agent, 'begin');
    await slow.called();
    isFull = true;
    const refused = await steer(agent, 'lost?');
    await expect(refused.accepted).rejects.toThrow('disk full');
    expect((await refused.outcome).status).toBe('failed');
    isFull = false;
    slow.finish('done');
    expect((await turn.outcome).reply).toBe('ok');
    expect(told(await history())).not.toContain('user: lost?');
  });
});

describe('an answer to a question for permission', () => {
  it('is no yes where it was said before the question', async () => {
    const { say, steer } = createStage();
    const slow = gatedTool('slow');
    const danger = gatedTool('danger');
    const model = scriptedModel([
      { calls: [call('a', 'slow')] },
      { calls: [call('b', 'danger')] },
      'What did you say yes to?',
    ]);
    const agent = agentWith(model, {
      tools: [slow.tool, danger.tool],
      permit: ({ tool }) => (tool === 'danger' ? 'ask' : 'allow'),
    });
    const turn = await say(agent, 'begin');
    await slow.called();
    await (await steer(agent, 'yes')).accepted;
    slow.finish('done');
    const { reply } = await turn.outcome;
    expect(danger.signals).toEqual([]);
    expect(reply).toContain('May I run');
  });
});

it('a message is never lost, doubled or out of order, however arrivals and turns interleave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('one-at-a-time' as const, 'all' as const),
      fc.boolean(),
      async (scheduler, keys, steering, stops) => {
        const memory = createMemoryBackend();
        const backend = {
          ...memory,
          ensure: async (...given: Parameters<typeof memory.ensure>) =>
            scheduler.schedule(memory.ensure(...given), 'ensure'),
          append: async (...given: Parameters<typeof memory.append>) =>
            scheduler.schedule(memory.append(...given), 'append'),
        };
        const { steer, runtime } = createStage({ backend });
        const agent = agentWith(
          scriptedModel((prompt) => `re ${lastUserText(prompt)}`),
          { steering },
        );
        const arrived: { readonly key: string; readonly text: string }[] = [];
        const turns = keys.map((key, place) =>
          scheduler.schedule(Promise.resolve(), 'arrive').then(async () => {
            arrived.push({ key, text: `m${place}` });
            const turn = await steer(agent, { text: `m${place}`, id: `m${place}` }, key);
            if (stops && place % 3 === 2) turn.stop('wish');
            await Promise.all([turn.accepted.catch(() => {}), turn.outcome]);
          }),
        );
        await scheduler.waitFor(Promise.all(turns));
        expect(runtime.active()).toEqual([]);
        for (const key of ['a', 'b']) {
          const stored = (await memory.read(key)).filter(({ role }) => role === 'user');
          const wanted = arrived.filter((each) => each.key === key).map(({ text }) => text);
          expect(stored.map(({ content }) => content)).toEqual(wanted);
          expect(waitingMessages((await memory.meta(key))?.attributes ?? {})).toEqual([]);
        }
      },
    ),
    { numRuns: 100 },
  );
});

it('what is told of a message that waits: that it is safe, then that it has joined', async () => {
  const { say, steer, runtime } = createStage();
  const slow = gatedTool('slow');
  const model = scriptedModel([{ text: 'Wait.', calls: [call('a', 'slow')] }, 'ok']);
  const agent = agentWith(model, { tools: [slow.tool] });
  const told: string[] = [];
  runtime.subscribe((event) => {
    if (event.type === 'steering') told.push(`${event.phase} ${event.message.id}`);
  });
  const turn = await say(agent, 'begin');
  await untilSaid(turn, 'Wait.');
  await slow.called();
  const joined = await steer(agent, { text: 'more', id: 'm2' });
  await joined.accepted;
  expect(runtime.active()).toMatchObject([{ queued: 1, said: '' }]);
  slow.finish('done');
  await turn.outcome;
  expect(told).toEqual(['waiting m2', 'joined m2']);
  const seen = (await eventsOf(joined)).map(({ type }) => type);
  expect(seen).not.toContain('accepted');
  expect(seen.at(-1)).toBe('ended');
});

function ids(name: string): () => string {
  let count = 0;
  return () => `${name}${++count}`;
}
