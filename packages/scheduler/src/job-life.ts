import { earliestToCatchUp, firstDue, nextDue } from './due-time.js';
import { type Job, type MissedRuns, scheduleOf } from './job.js';
import { isOneShot, type Schedule } from './schedule.js';

/** How a run ended. */
export type RunResult =
  | { readonly status: 'ok' }
  | { readonly status: 'error' | 'skipped'; readonly reason: string };

export interface LifeRules {
  /** For jobs that do not say it themselves. */
  readonly missedRuns: MissedRuns;
  /** How late a run may be before it counts as missed. */
  readonly lateMs: number;
  /** With `all`: how many missed runs are made up for. */
  readonly catchUpAtMost: number;
  /** Tries of a job that runs once and has no `maxRuns`. */
  readonly oneShotTries: number;
  /** After the first error in a row, then doubled up to the second. */
  readonly backOffMs: readonly [first: number, longest: number];
}

/** What a life cannot go beyond: the reason is kept short enough to be read in a list. */
const reasonAtMost = 2000;

/** A job that waits and has no time yet: PicoBot's, or one that was brought back. */
export function armed(job: Job, now: number): Job {
  const schedule = scheduleOf(job);
  const begun = job.lastFiredAt ?? job.createdAt;
  const due = isOneShot(schedule) ? firstDue(schedule, job.createdAt) : nextDue(schedule, begun, now);
  return { ...job, nextFireAt: due, updatedAt: now };
}

/** What becomes of a job that is due: it is claimed, or passed over because its time was missed. */
export function dueStep(job: Job, now: number, owner: string, rules: LifeRules): Job {
  const schedule = scheduleOf(job);
  const nominal = job.dueAt ?? job.nextFireAt ?? now;
  const policy = job.missedRuns ?? rules.missedRuns;
  const isMissed = now - (job.nextFireAt ?? now) > rules.lateMs;
  if (isMissed && policy === 'skip') return passedOver(job, schedule, nominal, now);
  const isRetry = job.dueAt !== undefined;
  const dueAt =
    policy === 'all' && !isRetry ? earliestToCatchUp(schedule, nominal, now, rules.catchUpAtMost) : nominal;
  return claimed(job, dueAt, now, owner);
}

export function claimed(job: Job, dueAt: number, now: number, owner: string): Job {
  const claim = { owner, token: job.revision + 1 };
  return { ...job, state: 'running', claim, dueAt, lastFiredAt: now, updatedAt: now };
}

function passedOver(job: Job, schedule: Schedule, nominal: number, now: number): Job {
  const nextFireAt = nextDue(schedule, nominal, now);
  const skipped: Job = {
    ...job,
    lastStatus: 'skipped',
    lastError: `Nothing ran at ${new Date(nominal).toISOString()}: that run was left out.`,
    dueAt: undefined,
    nextFireAt,
    updatedAt: now,
  };
  return nextFireAt === undefined ? completed(skipped, now) : skipped;
}

/** The job after a run. Whatever was decided while it ran (pause, another schedule) is in `job` and stays. */
export function finished(job: Job, result: RunResult, now: number, rules: LifeRules): Job {
  const counts = result.status !== 'skipped';
  const failures = result.status === 'error' ? job.failures + 1 : result.status === 'ok' ? 0 : job.failures;
  const ended: Job = {
    ...job,
    state: 'scheduled',
    claim: undefined,
    lastStatus: result.status,
    lastError: result.status === 'ok' ? undefined : result.reason.slice(0, reasonAtMost),
    runCount: job.runCount + (counts ? 1 : 0),
    failures,
    updatedAt: now,
  };
  if (job.completedAt !== undefined) return { ...completed(ended, now), completedAt: job.completedAt };
  if (job.maxRuns !== undefined && ended.runCount >= job.maxRuns) return completed(ended, now);
  const planned = followUp(ended, now, rules);
  return planned.nextFireAt === undefined ? completed(planned, now) : settledPause(planned);
}

function followUp(job: Job, now: number, rules: LifeRules): Job {
  const schedule = scheduleOf(job);
  const hasFailed = job.lastStatus === 'error';
  const rest = hasFailed ? backOff(job.failures, rules) : 0;
  // Planned meanwhile, or run by hand: the plan holds, but a job that failed has its rest first.
  const plan = isByHand(job) ? job.nextFireAt : undefined;
  if (plan !== undefined && (!hasFailed || isOneShot(schedule) || plan >= now + rest)) {
    return { ...job, dueAt: undefined };
  }
  const due = plan ?? job.dueAt ?? now;
  if (isOneShot(schedule)) {
    const mayRetry = hasFailed && (job.maxRuns !== undefined || job.runCount < rules.oneShotTries);
    return mayRetry
      ? { ...job, dueAt: due, nextFireAt: now + rest }
      : { ...job, dueAt: undefined, nextFireAt: undefined };
  }
  const catchesUp = (job.missedRuns ?? rules.missedRuns) === 'all' && !hasFailed;
  // Due times only rise, whatever the clock does: none comes a second time.
  return { ...job, dueAt: undefined, nextFireAt: nextDue(schedule, due, catchesUp ? due : now + rest) };
}

/** How long a job rests after so many errors in a row. */
export function backOff(failures: number, { backOffMs: [first, longest] }: LifeRules): number {
  return Math.min(longest, first * 2 ** Math.min(30, Math.max(0, failures - 1)));
}

/** A job whose run was cut off: that counts as an error, and its due time as missed. */
export function recovered(job: Job, now: number, rules: LifeRules, reason: string): Job {
  const ended = finished(job, { status: 'error', reason }, now, rules);
  const isLeftOut = (job.missedRuns ?? rules.missedRuns) === 'skip' || job.dueAt === undefined;
  if (ended.state !== 'scheduled' || isLeftOut || isByHand(job)) return ended;
  return { ...ended, dueAt: job.dueAt, nextFireAt: now + backOff(ended.failures, rules) };
}

/** Run between two due times: its plan lies ahead. */
function isByHand({ nextFireAt, lastFiredAt = 0 }: Job): boolean {
  return nextFireAt !== undefined && nextFireAt > lastFiredAt;
}

/** A running job is marked, and paused once it has run. */
export function paused(job: Job, now: number): Job {
  const marked: Job = { ...job, pausedAt: job.pausedAt ?? now, updatedAt: now };
  return job.state === 'running' ? marked : settledPause(marked);
}

/** What passed while the job was paused is not made up for; a job that runs once still does. */
export function resumed(job: Job, now: number): Job {
  const waiting: Job = { ...job, pausedAt: undefined, updatedAt: now };
  return job.state === 'running' ? waiting : armed({ ...waiting, state: 'scheduled' }, now);
}

/** Nothing can be planned by a schedule that cannot be read: the job says so, and waits for somebody to mend it. */
export function withoutPlan(job: Job, error: unknown, now: number): Job {
  return {
    ...job,
    state: job.pausedAt === undefined ? 'scheduled' : 'paused',
    claim: undefined,
    dueAt: undefined,
    nextFireAt: undefined,
    lastStatus: 'error',
    lastError: error instanceof Error ? error.message : String(error),
    updatedAt: now,
  };
}

function settledPause(job: Job): Job {
  return job.pausedAt === undefined ? job : { ...job, state: 'paused', nextFireAt: undefined };
}

function completed(job: Job, now: number): Job {
  return { ...job, state: 'completed', dueAt: undefined, nextFireAt: undefined, completedAt: now };
}
