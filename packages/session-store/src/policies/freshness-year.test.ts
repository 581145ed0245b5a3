import { expect, test } from 'vitest';
import { dailyHours } from '../../test/daily-hours.js';
import { createMemoryBackend } from '../index.js';
import { dueReset } from './reset-policy.js';

const HOUR = 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** True for about one hour in three, the same ones every time, in stretches and with gaps of days. */
function isSpokenIn(hour: number): boolean {
  return Math.sin(hour / 7) + Math.sin(hour / 61) + Math.sin(hour * 12.9898) > 0.7;
}

test.each([
  ['Europe/Berlin', 2],
  ['America/New_York', 1],
  ['Australia/Lord_Howe', 2],
  ['Asia/Shanghai', 4],
])('a year of talk in %s begins anew when it should, and at no other hour', async (timeZone, atHour) => {
  const idleMinutes = 36 * 60;
  const policy = {
    base: { timeZone, activity: 'person', dailyAtHour: atHour, idleMinutes },
    byKind: {},
    byChannel: {},
  } as const;
  const ends = dailyHours(atHour, timeZone, '2026-01-01', 365);
  let now = start;
  const backend = createMemoryBackend({ now: () => new Date(now) });
  await backend.ensure('chat');
  /** When the segment began and when a person last spoke, as the test itself knows. */
  let begun = Number.NaN;
  let spoken = Number.NaN;
  const seen = { daily: 0, idle: 0, none: 0 };
  for (let hour = 0; hour < 365 * 24; hour += 1) {
    now = start + hour * HOUR;
    // What jobs say changes nothing, but where it is the first of a segment.
    if (hour % 11 === 0) {
      await backend.append('chat', [{ role: 'user', content: 'tick', meta: { origin: 'schedule' } }]);
      if (Number.isNaN(begun)) begun = now;
    }
    if (!isSpokenIn(hour)) continue;
    const session = await backend.meta('chat');
    const reset = session && dueReset(policy, session, new Date(now));
    const isNewDay = ends.some((end) => begun < end && end <= now);
    const isSilent = now > (Number.isNaN(spoken) ? begun : spoken) + idleMinutes * 60_000;
    const expected = isNewDay ? 'daily' : isSilent ? 'idle' : undefined;
    if (reset?.reason !== expected)
      expect([new Date(now).toISOString(), reset?.reason]).toEqual([new Date(now).toISOString(), expected]);
    seen[expected ?? 'none'] += 1;
    if (reset !== undefined) {
      await backend.reset('chat', reset);
      begun = Number.NaN;
    }
    await backend.append('chat', [{ role: 'user', content: 'hello' }]);
    if (Number.isNaN(begun)) begun = now;
    spoken = now;
  }
  expect(seen.daily).toBeGreaterThan(100);
  expect(seen.none).toBeGreaterThan(1000);
});
