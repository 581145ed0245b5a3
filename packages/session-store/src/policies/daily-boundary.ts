/**
 * The latest instant not after `now` at which some local day had reached `hour`:00 in the zone. An hour that a day
 * leaves out comes later by what was left out; one that a day has twice counts when it first comes.
 */
export function dailyBoundary(now: Date, hour: number, timeZone: string): Date {
  const wall = wallTime(now.getTime(), timeZone);
  const midnight = wall - mod(wall, DAY);
  // Where clocks are set across midnight, the boundary may be one of the next local day, or of the one before last.
  for (let day = 1; ; day -= 1) {
    const boundary = instantOf(midnight + day * DAY + hour * HOUR, timeZone);
    if (boundary <= now.getTime()) return new Date(boundary);
  }
}

/** True where this machine knows the zone, named as by IANA. */
export function isTimeZone(timeZone: string): boolean {
  try {
    clockOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The instant of a wall time, both in milliseconds, the wall time as if it were UTC. */
function instantOf(wall: number, timeZone: string): number {
  const before = offsetAt(wall - DAY, timeZone);
  const after = offsetAt(wall + DAY, timeZone);
  // No zone sets its clocks twice within two days.
  if (before === after) return wall - before;
  const possible = [before, after]
    .map((offset) => ({ instant: wall - offset, offset }))
    .filter(({ instant, offset }) => offsetAt(instant, timeZone) === offset)
    .map(({ instant }) => instant);
  return possible.length > 0 ? Math.min(...possible) : wall - before;
}

function offsetAt(instant: number, timeZone: string): number {
  return wallTime(instant, timeZone) - instant;
}

/** What the clocks of the zone show at an instant, as if it were UTC. */
function wallTime(instant: number, timeZone: string): number {
  // The format has no milliseconds; offsets have none either.
  const milliseconds = mod(instant, 1000);
  const parts = clockOf(timeZone).formatToParts(instant - milliseconds);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value ?? Number.NaN);
  const date = [part('year'), part('month') - 1, part('day')] as const;
  return Date.UTC(...date, part('hour'), part('minute'), part('second')) + milliseconds;
}

/** Making a format costs a thousand times what using it does. There are some 600 zones. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  clocks.set(timeZone, clock);
  return clock;
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
