import { Cron } from 'croner';
import { isTimeZone } from './time-zone.js';

/** A cron expression without a time zone is read in this one: the same on every machine. */
export const defaultTimeZone = 'UTC';

function reader(expression: string, timeZone = defaultTimeZone): Cron {
  return new Cron(expression, { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
}

/** What is wrong with an expression, as a sentence; undefined where it names times to come. */
export function cronProblem(expression: string, timeZone: string | undefined): string | undefined {
  // Its zone is complained about by its own name.
  const zone = timeZone === undefined || isTimeZone(timeZone) ? timeZone : undefined;
  try {
    const isEmpty = reader(expression, zone).nextRun(new Date(0)) === null;
    return isEmpty
      ? `the cron expression ${JSON.stringify(expression)} names no time that ever comes`
      : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return `the cron expression ${JSON.stringify(expression)} cannot be read: ${reason}`;
  }
}

/** The first time after `after`, in Unix milliseconds. */
export function nextByCron(
  expression: string,
  timeZone: string | undefined,
  after: number,
): number | undefined {
  return reader(expression, timeZone).nextRun(new Date(after))?.getTime();
}

/** The last times up to and with `until`, newest first, at most `count`. */
export function latestByCron(
  expression: string,
  timeZone: string | undefined,
  until: number,
  count: number,
): number[] {
  // A second and one time more: the library counts in whole seconds, and leaves out its reference.
  return reader(expression, timeZone)
    .previousRuns(count + 1, new Date(until + 1000))
    .map((date) => date.getTime())
    .filter((time) => time <= until)
    .slice(0, count);
}
