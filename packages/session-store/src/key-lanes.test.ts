import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyLanes } from './key-lanes.js';

const program = fc.array(
  fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 }),
  {
    maxLength: 12,
  },
);

describe('key lanes', () => {
  it('run one task a name at a time, in the order asked, whatever names the tasks share', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), program, async (scheduler, tasks) => {
        const lanes = createKeyLanes();
        const running = new Set<string>();
        const began: number[] = [];
        const all = tasks.map((names, index) =>
          lanes.run(names, async () => {
            for (const name of names) {
              expect(running.has(name)).toBe(false);
              running.add(name);
            }
            began.push(index);
            await scheduler.schedule(Promise.resolve(), `task ${index}`);
            for (const name of names) running.delete(name);
          }),
        );
        await scheduler.waitFor(Promise.all(all));
        for (const name of ['a', 'b', 'c', 'd']) {
          const mine = began.filter((index) => tasks[index]?.includes(name));
          expect(mine).toEqual([...mine].sort((left, right) => left - right));
        }
        expect(began).toHaveLength(tasks.length);
      }),
    );
  });

  it('go on after a task that failed', async () => {
    const lanes = createKeyLanes();
    const failed = lanes.run(['a'], () => Promise.reject(new Error('broken')));
    const next = lanes.run(['a', 'b'], async () => 'done');
    await expect(failed).rejects.toThrow('broken');
    await expect(next).resolves.toBe('done');
  });

  it('tell when all that waited has run', async () => {
    const lanes = createKeyLanes();
    const done: string[] = [];
    void lanes.run(['a'], async () => void done.push('first'));
    void lanes.run(['a'], async () => void done.push('second'));
    await lanes.idle();
    expect(done).toEqual(['first', 'second']);
  });
});
