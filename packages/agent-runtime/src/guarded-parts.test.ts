import { expect, it, vi } from 'vitest';
import { scriptedModel } from '../test/scripted-model.js';
import { agentWith, createMemoryJournal, createStage, eventsOf } from '../test/stage.js';
import type { AgentRuntimeOptions } from './index.js';

function thrown(): never {
  throw new Error('It is broken.');
}

const journal = createMemoryJournal();
const failing: readonly (readonly [string, Partial<AgentRuntimeOptions>, 'done' | 'failed'])[] = [
  ['a journal that throws at the beginning', { journal: { ...journal, begin: thrown } }, 'done'],
  [
    'a journal that rejects at the beginning',
    { journal: { ...journal, begin: async () => thrown() } },
    'done',
  ],
  ['a journal that throws at each piece', { journal: { ...journal, progress: thrown } }, 'done'],
  ['a journal that throws at the end', { journal: { ...journal, end: thrown } }, 'done'],
  [
    'a logger that throws, with something to say',
    { logger: { warn: thrown }, journal: { ...journal, begin: async () => thrown() } },
    'done',
  ],
  ['a clock that throws', { clock: clockThatStops(1) }, 'failed'],
  ['a clock that throws later', { clock: clockThatStops(3) }, 'failed'],
];

function clockThatStops(after: number): () => Date {
  let looks = 0;
  return () => {
    looks += 1;
    return looks > after ? thrown() : new Date(0);
  };
}

it.each(failing)('%s: the turn comes to an end, and the session is free', async (_what, options, status) => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const { say, runtime } = createStage(options);
  const turn = await say(agentWith(scriptedModel(['Hello.'])), 'Hi');
  expect(await turn.outcome).toMatchObject({ status });
  expect((await eventsOf(turn)).at(-1)).toMatchObject({ type: 'ended' });
  expect([runtime.running('s1'), runtime.active()]).toEqual([undefined, []]);
  await runtime.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

it('a journal that throws when it is opened: recovering rejects, and turns run', async () => {
  const { say, runtime } = createStage({ journal: { ...journal, open: thrown } });
  await expect(runtime.recover()).rejects.toThrow('It is broken.');
  expect((await (await say(agentWith(scriptedModel(['Hello.'])), 'Hi')).outcome).status).toBe('done');
});

it('instructions that never come: a stop ends the turn, and the next one runs', async () => {
  const { say, runtime } = createStage();
  const stuck = agentWith(scriptedModel(['Hello.']), { system: () => new Promise(() => {}) });
  const turn = await say(stuck, 'Hi');
  await turn.accepted;
  expect(turn.stop('The person stopped it.')).toBe(true);
  expect((await turn.outcome).status).toBe('stopped');
  const next = await say(stuck, 'Again');
  await next.accepted;
  await runtime.close();
  expect((await next.outcome).status).toBe('interrupted');
});
