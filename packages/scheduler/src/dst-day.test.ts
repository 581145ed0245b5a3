import { expect, it } from 'vitest';
import { createFakeClock } from '../test/fake-clock.js';
import { openWorkshop } from '../test/workshop.js';

interface Day {
  readonly zone: string;
  readonly what: string;
  /** Local midnight at its beginning, and how many hours it has. */
  readonly begins: string;
  readonly hours: number;
  /** Local times that the clock shows when a job of the expression runs, as UTC. */
  readonly cron: Readonly<Record<string, readonly string[]>>;
  /** A time of that day in local clock words. */
  readonly at: { readonly timestamp: string; readonly fires: string };
}

const DAYS: readonly Day[] = [
  {
    zone: 'Europe/Berlin',
    what: 'loses an hour at 2',
    begins: '2026-03-28T23:00:00Z',
    hours: 23,
    cron: {
      '30 1 * * *': ['2026-03-29T00:30:00.000Z'],
      // There is no half past two: its day is not left out, the run comes when the hour has passed.
      '30 2 * * *': ['2026-03-29T01:00:00.000Z'],
      '0 9 * * *': ['2026-03-29T07:00:00.000Z'],
      '15 */6 * * *': [
        '2026-03-28T23:15:00.000Z',
        '2026-03-29T04:15:00.000Z',
        '2026-03-29T10:15:00.000Z',
        '2026-03-29T16:15:00.000Z',
      ],
    },
    at: { timestamp: '2026-03-29T03:00:00+02:00', fires: '2026-03-29T01:00:00.000Z' },
  },
  {
    zone: 'Europe/Berlin',
    what: 'has two o’clock twice',
    begins: '2026-10-24T22:00:00Z',
    hours: 25,
    cron: {
      '30 1 * * *': ['2026-10-24T23:30:00.000Z'],
      '30 2 * * *': ['2026-10-25T00:30:00.000Z'],
      '0 9 * * *': ['2026-10-25T08:00:00.000Z'],
    },
    at: { timestamp: '2026-10-25T02:30:00+01:00', fires: '2026-10-25T01:30:00.000Z' },
  },
  {
    zone: 'America/New_York',
    what: 'loses an hour at 2',
    begins: '2026-03-08T05:00:00Z',
    hours: 23,
    cron: {
      '30 2 * * *': ['2026-03-08T07:00:00.000Z'],
      '0 9 * * *': ['2026-03-08T13:00:00.000Z'],
    },
    at: { timestamp: '2026-03-08T03:30:00-04:00', fires: '2026-03-08T07:30:00.000Z' },
  },
  {
    zone: 'America/New_York',
    what: 'has one o’clock twice',
    begins: '2026-11-01T04:00:00Z',
    hours: 25,
    cron: {
      '30 1 * * *': ['2026-11-01T05:30:00.000Z'],
      '0 9 * * *': ['2026-11-01T14:00:00.000Z'],
    },
    at: { timestamp: '2026-11-01T01:30:00-05:00', fires: '2026-11-01T06:30:00.000Z' },
  },
  {
    zone: 'Australia/Lord_Howe',
    what: 'loses half an hour at 2',
    begins: '2026-10-03T13:30:00Z',
    hours: 23.5,
    cron: {
      '15 2 * * *': ['2026-10-03T15:30:00.000Z'],
      '0 9 * * *': ['2026-10-03T22:00:00.000Z'],
    },
    at: { timestamp: '2026-10-04T02:30:00+11:00', fires: '2026-10-03T15:30:00.000Z' },
  },
];

const hour = 3_600_000;

it.each(DAYS)('in $zone, a day that $what runs every schedule at its time and once', async (day) => {
  const begin = Date.parse(day.begins);
  const clock = createFakeClock(new Date(begin - 1000).toISOString());
  const { scheduler, make, ran, board, errors } = openWorkshop({ clock }, { timing: { tickMs: 600_000 } });
  await make({ id: 'delay', schedule: { type: 'delay', seconds: 3 * 3600 + 1 } });
  await make({ id: 'interval', schedule: { type: 'interval', seconds: 3600, startup_delay_seconds: 1 } });
  await make({ id: 'at', schedule: { type: 'at', timestamp: day.at.timestamp } });
  await make({ id: 'hourly', schedule: { type: 'cron', expression: '0 * * * *', time_zone: day.zone } });
  for (const expression of Object.keys(day.cron)) {
    const id = `cron:${expression.replaceAll(/\W+/g, '-')}`;
    await make({ id, schedule: { type: 'cron', expression, time_zone: day.zone } });
  }
  await scheduler.start();
  await clock.advance(1000 + day.hours * hour - 1);
  await scheduler.stop();

  const timesOf = (id: string) =>
    ran.filter((run) => run.startsWith(`${id} `)).map((run) => run.split(' ')[1]);
  const at = (hours: number) => new Date(begin + hours * hour).toISOString();
  // Three hours later by any watch, whatever the clock on the wall has done.
  expect(timesOf('delay')).toEqual([at(3)]);
  expect(timesOf('at')).toEqual([day.at.fires]);
  const beats = Array.from({ length: Math.ceil(day.hours) }, (_, index) => at(index));
  expect(timesOf('interval')).toEqual(beats);
  // Every hour that there is: 23, 25, or with half an hour missing those that the clock shows in full.
  const hourly = timesOf('hourly');
  if (Number.isInteger(day.hours)) expect(hourly).toEqual(beats);
  else expect([hourly.length, new Set(hourly).size]).toEqual([hourly.length, hourly.length]);
  for (const [expression, times] of Object.entries(day.cron)) {
    expect([expression, timesOf(`cron:${expression.replaceAll(/\W+/g, '-')}`)]).toEqual([expression, times]);
  }
  expect(errors).toEqual([]);
  const states = Object.fromEntries((await board.list()).map(({ id, state }) => [id, state]));
  expect(states).toMatchObject({
    delay: 'completed',
    at: 'completed',
    interval: 'scheduled',
    hourly: 'scheduled',
  });
});
