import { latestByCron, nextByCron } from './cron.js';
import type { Schedule } from './schedule.js';

/** The first time that a schedule names for a job made at `createdAt`. Unix milliseconds throughout. */
export function firstDue(schedule: Schedule, createdAt: number): number | undefined {
  switch (schedule.type) {
    case 'delay':
      return createdAt + Math.round(schedule.seconds * 1000);
    case 'interval':
      return createdAt + Math.round((schedule.startup_delay_seconds ?? schedule.seconds) * 1000);
    case 'at':
      return schedule.timestamp;
    case 'cron':
      return nextByCron(schedule.expression, schedule.time_zone, createdAt);
  }
}

/**
 * The first time after `after` on a schedule that was last due at `due`; undefined where there is none. An interval
 * keeps its beat whatever a run takes; a cron expression follows the calendar of its zone: an hour that does not
 * exist is made up for at its end, one that comes twice counts once, unless the expression says every hour.
 */
export function nextDue(schedule: Schedule, due: number, after: number): number | undefined {
  switch (schedule.type) {
    case 'interval': {
      const beat = Math.round(schedule.seconds * 1000);
      return due + Math.max(1, Math.floor((after - due) / beat) + 1) * beat;
    }
    case 'cron':
      return nextByCron(schedule.expression, schedule.time_zone, Math.max(due, after));
    default:
      return undefined;
  }
}

/** Of the times from `due` up to `now`, the first of the newest `atMost`. */
export function earliestToCatchUp(schedule: Schedule, due: number, now: number, atMost: number): number {
  switch (schedule.type) {
    case 'interval': {
      const beat = Math.round(schedule.seconds * 1000);
      const missed = Math.floor((now - due) / beat) + 1;
      return due + Math.max(0, missed - atMost) * beat;
    }
    case 'cron':
      return Math.max(due, latestByCron(schedule.expression, schedule.time_zone, now, atMost).at(-1) ?? due);
    default:
      return due;
  }
}
