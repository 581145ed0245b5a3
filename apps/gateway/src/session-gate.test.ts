import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSessionGate } from './session-gate.js';

const task = fc.record({ key: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() });

it('lets one task through at a time for each session, in the order they came, whatever the others do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(task, { minLength: 1, maxLength: 20 }),
      async (scheduler, tasks) => {
        const gate = createSessionGate();
        const inside = new Set<string>();
        const done = new Map<string, number[]>();
        const results = tasks.map(({ key, fails }, index) =>
          gate.run(key, async () => {
            expect(inside.has(key)).toBe(false);
            inside.add(key);
            await scheduler.schedule(Promise.resolve());
            inside.delete(key);
            done.set(key, [...(done.get(key) ?? []), index]);
            if (fails) throw new Error(`${index}`);
            return index;
          }),
        );
        const settled = Promise.allSettled(results);
        await scheduler.waitFor(settled);
        expect(
          (await settled).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message)),
        ).toEqual(tasks.map(({ fails }, index) => (fails ? `${index}` : index)));
        for (const order of done.values()) expect(order).toEqual(order.toSorted((one, other) => one - other));
      },
    ),
  );
});

it('begins at once where nobody is inside', () => {
  const gate = createSessionGate();
  let hasBegun = false;
  void gate.run('a', async () => {
    hasBegun = true;
  });
  expect(hasBegun).toBe(true);
});
