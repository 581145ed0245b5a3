import { createMemoryBackend, type SessionBackend } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastUserText, scriptedModel } from '../test/scripted-model.js';
import { agentWith, createMemoryJournal, createStage } from '../test/stage.js';
import { createTurnLanes } from './turn-lanes.js';

describe('turn lanes', () => {
  it('run one job a lane, in order, never more than the limit, and all of them, however the jobs interleave', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (scheduler, names, parallel) => {
          const lanes = createTurnLanes(parallel);
          const busy = new Set<string>();
          const ran: [string, number][] = [];
          const arrivals = names.map((lane, place) =>
            scheduler.schedule(Promise.resolve(), `arrive ${place}`).then(() => {
              arrived.push([lane, place]);
              lanes.enqueue(lane, async () => {
                expect(busy.has(lane)).toBe(false);
                busy.add(lane);
                expect(busy.size).toBeLessThanOrEqual(parallel);
                await scheduler.schedule(Promise.resolve(), `work ${place}`);
                busy.delete(lane);
                ran.push([lane, place]);
              });
            }),
          );
          const arrived: [string, number][] = [];
          await scheduler.waitFor(Promise.all(arrivals));
          await scheduler.waitIdle();
          for (const name of ['a', 'b', 'c']) {
            const ofLane = (jobs: typeof ran) => jobs.filter(([lane]) => lane === name);
            expect(ofLane(ran)).toEqual(ofLane(arrived));
            expect(lanes.waiting(name)).toBe(0);
          }
        },
      ),
    );
  });
});

/** A backend each of whose answers comes when the scheduler says so. */
function scheduled(backend: SessionBackend, scheduler: fc.Scheduler): SessionBackend {
  return {
    ...backend,
    ensure: async (...given) => scheduler.schedule(backend.ensure(...given), 'ensure'),
    read: async (...given) => scheduler.schedule(backend.read(...given), 'read'),
    append: async (...given) => scheduler.schedule(backend.append(...given), 'append'),
  };
}

describe('turns in every interleaving', () => {
  it('keep each message with its answer behind it, in the order of arrival, whatever is stopped or repeated', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(
          fc.record({
            key: fc.constantFrom('a', 'b'),
            id: fc.constantFrom('m1', 'm2', 'm3', 'm4'),
            stops: fc.boolean(),
          }),
          { minLength: 1, maxLength: 7 },
        ),
        async (scheduler, wishes) => {
          const memory = createMemoryBackend();
          const journal = createMemoryJournal();
          const { say, runtime } = createStage({
            backend: scheduled(memory, scheduler),
            journal,
            limits: { parallelTurns: 2 },
          });
          const agent = agentWith(scriptedModel((prompt) => `re ${lastUserText(prompt)}`));
          const turns = await Promise.all(wishes.map(({ key, id }) => say(agent, { text: id, id }, key)));
          const stops = wishes.map(async ({ stops }, place) => {
            await scheduler.schedule(Promise.resolve(), 'stop');
            if (stops) turns[place]?.stop('wish');
          });
          const ends = Promise.all([...stops, ...turns.map(({ outcome }) => outcome)]);
          await scheduler.waitFor(ends);
          expect(runtime.active()).toEqual([]);
          expect(journal.turns.size).toBe(0);
          for (const key of ['a', 'b']) {
            const ids = wishes.filter((wish) => wish.key === key).map(({ id }) => id);
            const messages = await memory.read(key);
            expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_message, index) => index + 1));
            const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
            expect(asked).toEqual([...new Set(ids)]);
            messages.forEach((message, index) => {
              const question = messages[index - 1];
              if (message.role !== 'assistant') return;
              expect(question?.role).toBe('user');
              if (message.meta === undefined) expect(message.content).toBe(`re ${question?.content}`);
              else expect(message.meta.status).toBe('stopped');
            });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
