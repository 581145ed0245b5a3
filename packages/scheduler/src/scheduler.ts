import { createClaimWatch } from './claim-watch.js';
import type { Clock } from './clock.js';
import { SchedulerError } from './errors.js';
import type { Job, MissedRuns } from './job.js';
import { changeJob } from './job-change.js';
import {
  armed,
  claimed,
  dueStep,
  type LifeRules,
  type RunResult,
  recovered,
  withoutPlan,
} from './job-life.js';
import { createJobRuns, type Occasion } from './job-runs.js';
import type { JobStore } from './job-store.js';

export interface SchedulerOptions {
  readonly store: JobStore;
  /** Does the work. What it rejects with is the job's error. */
  readonly run: (occasion: Occasion) => Promise<RunResult>;
  readonly clock: Clock;
  /** This process, as another one should see it. Never the same twice. */
  readonly owner: string;
  /** Whether the process of that name is known to have ended. What is not known is waited for. Default: nothing is known. */
  readonly isOwnerGone?: (owner: string) => boolean;
  /** What went wrong beside the jobs: the store, or a run whose claim was lost. */
  readonly onError?: (error: unknown, sentence: string) => void;
  /** Told after each change by the scheduler itself. */
  readonly onChange?: (job: Job) => void;
  /** What passed while nothing ran, for jobs that do not say it. Default `once`. */
  readonly missedRuns?: MissedRuns;
  /** Runs at the same time in this process. Default 8. */
  readonly parallelRuns?: number;
  readonly timing?: Partial<SchedulerTiming>;
}

/** Milliseconds. */
export interface SchedulerTiming {
  /** The longest that the scheduler sleeps without a look. Default 10,000. */
  readonly tickMs: number;
  /** A claim that stands still for so long is taken over. At least three ticks. Default 60,000. */
  readonly leaseMs: number;
  /** A run that is later than this was missed. Default 60,000. */
  readonly lateMs: number;
  /** The rest after the first error in a row; doubled with each, up to `longestBackOffMs`. Default 30,000. */
  readonly backOffMs: number;
  /** Default 3,600,000. */
  readonly longestBackOffMs: number;
}

/**
 * Runs jobs when they are due. However many schedulers share a store, each due time is claimed once, by
 * compare-and-set; what a run leaves behind is written under its claim, and dropped where another has taken the job.
 */
export interface Scheduler {
  /** Puts back what ended processes left running, then looks for due jobs until `stop`. Resolves after the first look. */
  start(): Promise<void>;
  /**
   * Runs a job at once, whatever its state, beside its schedule. Resolves when it is claimed; `done` when it has run.
   * Rejects with `SchedulerError`: `unknown_job`, `job_running`, `job_busy`.
   */
  runNow(id: string): Promise<{ readonly job: Job; readonly done: Promise<void> }>;
  /** Looks now: a job was made or changed. */
  wake(): void;
  /** Claims nothing more. Runs under way have `graceMs` (default 0), then their signal aborts; resolves when they have ended. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Timers count no further than 2^31 milliseconds; nobody needs one that long. */
const longestTickMs = 3_600_000;
const catchUpAtMost = 20;
const oneShotTries = 3;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, clock, owner, run, isOwnerGone = () => false, parallelRuns = 8 } = options;
  const { onError = () => {}, onChange = () => {} } = options;
  const { lateMs = 60_000, backOffMs = 30_000, longestBackOffMs = 3_600_000 } = options.timing ?? {};
  const tickMs = Math.min(longestTickMs, options.timing?.tickMs ?? 10_000);
  const leaseMs = Math.max(3 * tickMs, options.timing?.leaseMs ?? 60_000);
  const rules: LifeRules = {
    missedRuns: options.missedRuns ?? 'once',
    lateMs,
    catchUpAtMost,
    oneShotTries,
    backOffMs: [backOffMs, longestBackOffMs],
  };
  const watch = createClaimWatch(leaseMs, tickMs);
  let waking = new AbortController();
  let loop: Promise<void> | undefined;
  let isStopping = false;
  const runs = createJobRuns({ store, clock, rules, run, onError, onChange, onEnd: wake, tickMs });

  function wake(): void {
    waking.abort();
  }

  async function change(seen: Job, decide: () => Job): Promise<Job | undefined> {
    let next: Job;
    try {
      next = decide();
    } catch (error) {
      next = withoutPlan(seen, error, clock.now());
    }
    return store.replace(seen, next);
  }

  /** What PicoBot made may have no time yet, and runs nowhere when nobody claims to run it. */
  async function takeStock(): Promise<void> {
    for (const job of await store.list()) {
      const now = clock.now();
      if (job.state === 'running' && (job.claim === undefined || isOwnerGone(job.claim.owner))) {
        await putBack(job);
      } else if (job.state === 'scheduled' && job.nextFireAt === undefined) {
        const stored = await change(job, () => armed(job, now));
        if (stored !== undefined) onChange(stored);
      }
    }
  }

  async function putBack(job: Job): Promise<void> {
    const ran = job.claim === undefined ? '' : ` (${job.claim.owner})`;
    const reason = `The process that ran it${ran} ended before the run did; whether the work was done is not known.`;
    const stored = await change(job, () => recovered(job, clock.now(), rules, reason));
    if (stored !== undefined) onChange(stored);
  }

  /** False where something is due that this process cannot begin now. */
  async function look(): Promise<boolean> {
    const others = (await store.running()).filter((job) => !runs.holds(job));
    const gone = others.filter(({ claim }) => claim !== undefined && isOwnerGone(claim.owner));
    for (const job of new Set([...gone, ...watch.abandoned(others, clock.now())])) await putBack(job);

    for (const job of await store.due(clock.now(), parallelRuns)) {
      // A run that was taken over may still be under way here.
      if (isStopping || runs.size >= parallelRuns || runs.has(job.id)) return false;
      const stored = await change(job, () => dueStep(job, clock.now(), owner, rules));
      if (stored === undefined) continue;
      if (stored.claim?.token === stored.revision) void runs.begin(stored);
      else onChange(stored);
    }
    return true;
  }

  /** How long nothing is to do: never longer than a tick, whatever a clock says. */
  async function pauseMs(): Promise<number> {
    const next = await store.nextDueAt();
    return next === undefined ? tickMs : Math.min(tickMs, Math.max(1, next - clock.now()));
  }

  /** Looks, and says how long to rest. What fails is tried again with the next tick. */
  async function lookAround(): Promise<number> {
    try {
      return (await look()) ? await pauseMs() : tickMs;
    } catch (error) {
      onError(error, 'The jobs could not be looked through.');
      return tickMs;
    }
  }

  async function keepLooking(firstRestMs: number): Promise<void> {
    let restMs = firstRestMs;
    while (!isStopping) {
      await clock.sleep(restMs, waking.signal);
      if (waking.signal.aborted) waking = new AbortController();
      if (!isStopping) restMs = await lookAround();
    }
  }

  return {
    async start() {
      if (loop !== undefined || isStopping) return;
      await takeStock();
      loop = keepLooking(await lookAround());
    },
    async runNow(id) {
      const job = await changeJob(store, id, (seen) => {
        if (isStopping) throw new SchedulerError('job_busy', 'The scheduler stops.', { jobId: id });
        if (seen.state === 'running') {
          throw new SchedulerError('job_running', `The job ${JSON.stringify(id)} runs already.`, {
            jobId: id,
          });
        }
        const now = clock.now();
        // What waits to be run, or to be tried again, is that run; anything else is one of its own.
        const waits = seen.state === 'scheduled' ? seen.nextFireAt : undefined;
        const isDue = waits !== undefined && (waits <= now || seen.dueAt !== undefined);
        return isDue
          ? claimed({ ...seen, nextFireAt: Math.min(waits, now) }, seen.dueAt ?? waits, now, owner)
          : claimed(seen, Math.max(now, (seen.lastFiredAt ?? 0) + 1), now, owner);
      });
      return { job, done: runs.begin(job) };
    },
    wake,
    async stop({ graceMs = 0 } = {}) {
      isStopping = true;
      wake();
      // What is claimed in this moment still begins.
      await loop;
      await runs.stop(graceMs);
    },
  };
}
