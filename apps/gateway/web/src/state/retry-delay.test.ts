import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryDelayMs } from './retry-delay.js';

test('doubles up to eight seconds, half of it by chance', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => retryDelayMs(attempt, 1))).toEqual([
    400, 800, 1_600, 3_200, 6_400, 8_000, 8_000,
  ]);
  fc.assert(
    fc.property(fc.nat(1_000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const delay = retryDelayMs(attempt, random);
      expect(delay).toBeGreaterThanOrEqual(200);
      expect(delay).toBeLessThanOrEqual(8_000);
    }),
  );
});
