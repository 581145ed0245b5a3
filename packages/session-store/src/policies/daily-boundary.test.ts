import { describe, expect, it, test } from 'vitest';
import { dailyHours } from '../../test/daily-hours.js';
import { dailyBoundary, isTimeZone } from './daily-boundary.js';

function everyHour(timeZone: string, hour: number, from: string, days: number): void {
  const expected = dailyHours(hour, timeZone, from, days);
  let next = 0;
  const start = Date.parse(`${from}T00:00:00Z`);
  for (let instant = start; instant < start + days * 24 * 3_600_000; instant += 3_600_000) {
    // Just before, and the hour itself.
    for (const now of [instant - 1, instant]) {
      while ((expected[next + 1] ?? Number.POSITIVE_INFINITY) <= now) next += 1;
      while ((expected[next] ?? 0) > now) next -= 1;
      const found = dailyBoundary(new Date(now), hour, timeZone).getTime();
      if (found !== expected[next]) {
        expect([timeZone, hour, new Date(now).toISOString(), new Date(found).toISOString()]).toEqual([
          timeZone,
          hour,
          new Date(now).toISOString(),
          new Date(expected[next] ?? 0).toISOString(),
        ]);
      }
    }
  }
}

describe('the last daily hour', () => {
  test.each([
    ['Europe/Berlin', [2]],
    ['America/New_York', [2]],
    ['Australia/Lord_Howe', [2]],
    ['Asia/Shanghai', [4]],
  ])('is right in %s at each hour of a year', (timeZone, hours) => {
    for (const hour of hours) everyHour(timeZone, hour, '2026-01-01', 365);
  });

  test.each([
    ['clocks that go back across midnight', 'America/Sao_Paulo', '2018-02-10', 14],
    ['a day that begins at one', 'America/Sao_Paulo', '2018-10-28', 14],
    ['a minute past midnight', 'America/St_Johns', '2006-10-22', 14],
    ['a day left out', 'Pacific/Apia', '2011-12-26', 8],
    ['clocks set back in spring for a month', 'Africa/Casablanca', '2026-02-12', 8],
  ])('is right with %s', (_what, timeZone, from, days) => {
    for (let hour = 0; hour < 24; hour += 1) everyHour(timeZone, hour, from, days);
  });
});

it('knows which zones there are', () => {
  expect(['Europe/Berlin', 'UTC', 'Asia/Kathmandu'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['', 'Berlin', 'Mars/Olympus'].map(isTimeZone)).toEqual([false, false, false]);
});
