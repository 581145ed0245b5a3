import { expect, test } from 'vitest';
import { dayName, shortTime } from './time.js';

const now = new Date(2026, 5, 10, 15, 0);
const at = (...time: [number, number, number, number, number]) => new Date(...time).toISOString();

test('a day is named by how far away it is', () => {
  expect(dayName(at(2026, 5, 10, 1, 0), now)).toBe('Today');
  expect(dayName(at(2026, 5, 9, 23, 0), now)).toBe('Yesterday');
  expect(dayName(at(2026, 0, 2, 12, 0), now)).toContain('2026');
});

test('a time is a clock today, then a weekday, then a date', () => {
  expect(shortTime(at(2026, 5, 10, 9, 5), now)).toMatch(/\d.*05/);
  expect(shortTime(at(2026, 5, 8, 9, 5), now)).not.toMatch(/\d/);
  expect(shortTime(at(2026, 0, 2, 9, 5), now)).toMatch(/2/);
});
