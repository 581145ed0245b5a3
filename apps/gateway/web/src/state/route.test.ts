import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRoute, parseRoute } from './route.js';

test('an address names one route, whatever the key contains', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (key) => {
      expect(parseRoute(formatRoute({ page: 'session', key }))).toEqual({ page: 'session', key });
    }),
  );
  expect(parseRoute('#/new')).toEqual({ page: 'new' });
  expect(parseRoute('')).toBeUndefined();
  expect(parseRoute('#/s/%E0%A4%A')).toBeUndefined();
});
