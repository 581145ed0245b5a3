import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byActivity, createActivityOrder } from './activity-order.js';

const key = fc.integer({ min: 0, max: 1500 }).map((n) => `k${n}`);
const time = fc.integer({ min: 0, max: 50 }).map((n) => `t${String(n).padStart(2, '0')}`);

it('gives what sorting gives, whatever moved in between, from any place', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, time), { maxLength: 800 }),
      fc.array(fc.array(fc.tuple(key, fc.option(time)), { maxLength: 700 }), { maxLength: 3 }),
      fc.tuple(key, time),
      (initial, rounds, [afterKey, activeAt]) => {
        const now = new Map(initial);
        const sorted = () => [...now].map(([k, t]) => ({ key: k, activeAt: t })).sort(byActivity);
        const order = createActivityOrder(sorted());
        const after = { key: afterKey, activeAt };
        for (const changes of [...rounds, []]) {
          for (const [k, t] of changes) {
            if (t === null) now.delete(k);
            else now.set(k, t);
            order.touch(k);
          }
          const walk = (from?: typeof after) => [...order.walk((k) => now.get(k), from)];
          expect(walk(after)).toEqual(
            sorted()
              .filter((place) => byActivity(after, place) < 0)
              .map((place) => place.key),
          );
          expect(walk()).toEqual(sorted().map((place) => place.key));
        }
      },
    ),
    { numRuns: 60 },
  );
});
