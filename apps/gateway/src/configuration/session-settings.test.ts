import { expect, test } from 'vitest';
import {
  bindingSettingsOf,
  maintenanceOf,
  resetPolicyOf,
  sessionSettingsSchema,
  type WrittenSessionSettings,
} from './session-settings.js';

const berlin = { time_zone: 'Europe/Berlin' };

function policy(written: WrittenSessionSettings) {
  const complaints: string[] = [];
  const parsed = resetPolicyOf(sessionSettingsSchema.parse(written), (path, message) =>
    complaints.push(`${path}: ${message}`),
  );
  const told = ({ dailyAtHour, idleMinutes }: { dailyAtHour?: number; idleMinutes?: number }) => [
    dailyAtHour,
    idleMinutes,
  ];
  return {
    base: told(parsed.base),
    kinds: Object.fromEntries(Object.entries(parsed.byKind).map(([kind, rule]) => [kind, told(rule)])),
    channels: Object.fromEntries(Object.entries(parsed.byChannel).map(([name, rule]) => [name, told(rule)])),
    complaints,
    zone: parsed.base.timeZone,
  };
}

test.each<[WrittenSessionSettings['reset'], (number | undefined)[]]>([
  [undefined, [undefined, undefined]],
  [{}, [undefined, undefined]],
  [{ mode: 'daily' }, [4, undefined]],
  [{ mode: 'daily', at_hour: 0 }, [0, undefined]],
  [{ mode: 'daily', idle_minutes: 30 }, [4, 30]],
  [{ at_hour: 5 }, [5, undefined]],
  [{ idle_minutes: 30 }, [undefined, 30]],
  [{ mode: 'idle', idle_minutes: 30, at_hour: 5 }, [undefined, 30]],
  [{ mode: 'daily', idle_minutes: 0 }, [4, undefined]],
  [{ mode: 'daily', idle_minutes: null }, [4, undefined]],
  [{ mode: 'none', at_hour: 5, idle_minutes: 30 }, [undefined, undefined]],
])('reset %j means these limits', (reset, limits) => {
  expect(policy(reset === undefined ? {} : { reset }).base).toEqual(limits);
});

test('a kind differs field by field, a channel altogether', () => {
  const told = policy({
    reset: { mode: 'daily', at_hour: 3, ...berlin },
    reset_by_type: { group: { idle_minutes: 60 }, thread: { mode: 'none' }, direct: { at_hour: 6 } },
    reset_by_channel: { Telegram: { idle_minutes: 5 } },
  });
  expect(told).toMatchObject({
    kinds: { group: [3, 60], thread: [undefined, undefined], direct: [6, undefined] },
    channels: { telegram: [undefined, 5] },
    zone: 'Europe/Berlin',
  });
  expect(policy({ reset: { mode: 'none' }, reset_by_type: { group: { at_hour: 4 } } }).kinds).toEqual({
    group: [4, undefined],
  });
});

test('what cannot be meant is said by its place', () => {
  expect(policy({ reset: { mode: 'idle' }, reset_by_channel: { irc: { mode: 'idle' } } }).complaints).toEqual(
    [
      'session.reset: mode idle needs idle_minutes above 0',
      'session.reset_by_channel.irc: mode idle needs idle_minutes above 0',
    ],
  );
  const faults = (reset: object) => sessionSettingsSchema.safeParse({ reset }).success;
  expect([{ at_hour: 24 }, { time_zone: 'Berlin' }, { atHour: 4 }, { mode: 'weekly' }].map(faults)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  // Other programs' fields in this block are theirs.
  expect(sessionSettingsSchema.safeParse({ backlog_limit: 5 }).success).toBe(true);
});

test('maintenance only warns unless it is told to enforce', () => {
  const day = 86_400_000;
  expect(maintenanceOf({})).toEqual({ isEnforced: false, limits: { purgeAfterMs: 30 * day } });
  const maintenance = {
    mode: 'enforce',
    prune_after_days: 7,
    max_sessions: 9,
    purge_after_days: 1,
    max_disk_mb: 10,
  } as const;
  expect(maintenanceOf({ maintenance })).toEqual({
    isEnforced: true,
    limits: {
      pruneAfterMs: 7 * day,
      maxSessions: 9,
      purgeAfterMs: day,
      disk: { maxBytes: 10 * 1024 * 1024, highWaterBytes: 8 * 1024 * 1024 },
    },
  });
});

test('bindings end after a day of silence, unless told otherwise', () => {
  expect(bindingSettingsOf({})).toEqual({ idleMs: 86_400_000, maxAgeMs: undefined });
  expect(bindingSettingsOf({ thread_bindings: { idle_hours: 0, max_age_hours: 2 } })).toEqual({
    idleMs: undefined,
    maxAgeMs: 7_200_000,
  });
});
