import fc from 'fast-check';
import { expect, it } from 'vitest';
import { earliestToCatchUp } from './due-time.js';
import { firstDue, nextDue, type Schedule } from './index.js';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const cron = fc.record({
  type: fc.constant('cron' as const),
  expression: fc.constantFrom(
    '*/7 * * * *',
    '30 2 * * *',
    '0 9 * * 1-5',
    '0 0 1 * *',
    '15 10,22 * * *',
    '0 30 1 * * *',
  ),
  time_zone: fc.constantFrom(...zones),
});
const interval = fc.record({
  type: fc.constant('interval' as const),
  seconds: fc.integer({ min: 1, max: 100_000 }),
});
const schedules: fc.Arbitrary<Schedule> = fc.oneof(cron, interval);
const times = fc.integer({ min: Date.parse('2026-01-01Z'), max: Date.parse('2027-12-31Z') });

it('every next time is later than the one before and than now, whatever the clock shows', () => {
  fc.assert(
    fc.property(schedules, times, times, (schedule, due, now) => {
      const next = nextDue(schedule, due, now) ?? 0;
      expect(next).toBeGreaterThan(due);
      expect(next).toBeGreaterThan(now);
    }),
  );
});

it('no time lies between now and the next one', () => {
  fc.assert(
    fc.property(schedules, times, fc.integer({ min: 0, max: 40 * 86_400_000 }), (schedule, due, later) => {
      const now = due + later;
      const next = nextDue(schedule, due, now) ?? 0;
      // Asked from anywhere before it, it is the same one.
      expect(nextDue(schedule, due, Math.max(now, next - 1))).toBe(next);
    }),
  );
});

it('what is made up for are the newest times and no more than asked for', () => {
  fc.assert(
    fc.property(schedules, times, fc.integer({ min: 0, max: 86_400_000 }), (schedule, begin, later) => {
      const due = nextDue(schedule, begin, begin) ?? 0;
      const now = due + later;
      const from = earliestToCatchUp(schedule, due, now, 5);
      const caughtUp: number[] = [];
      for (let time = from; time <= now; time = nextDue(schedule, time, time) ?? Number.POSITIVE_INFINITY) {
        caughtUp.push(time);
      }
      expect(from).toBeGreaterThanOrEqual(due);
      expect(caughtUp.length).toBeGreaterThanOrEqual(1);
      expect(caughtUp.length).toBeLessThanOrEqual(5);
      if (from > due) expect(caughtUp.length).toBe(5);
    }),
    { numRuns: 60 },
  );
});

it('the first time of each schedule', () => {
  const made = Date.parse('2026-03-10T12:00:00Z');
  const first = (schedule: Schedule) => new Date(firstDue(schedule, made) ?? 0).toISOString();
  expect(first({ type: 'delay', seconds: 90 })).toBe('2026-03-10T12:01:30.000Z');
  expect(first({ type: 'interval', seconds: 300 })).toBe('2026-03-10T12:05:00.000Z');
  expect(first({ type: 'interval', seconds: 300, startup_delay_seconds: 10 })).toBe(
    '2026-03-10T12:00:10.000Z',
  );
  expect(first({ type: 'at', timestamp: made + 1 })).toBe('2026-03-10T12:00:00.001Z');
  expect(first({ type: 'cron', expression: '0 30 9 * * 1-5' })).toBe('2026-03-11T09:30:00.000Z');
});
