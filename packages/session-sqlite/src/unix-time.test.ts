import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoOf, unixOf } from './unix-time.js';

it('says a time as the calendar does, and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (milliseconds) => {
      expect(isoOf(milliseconds)).toBe(new Date(milliseconds).toISOString());
      expect(unixOf(isoOf(milliseconds))).toBe(milliseconds);
    }),
  );
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20, -1e20])('has a time for %d too', (milliseconds) => {
  expect(unixOf(isoOf(milliseconds))).not.toBeNaN();
});
