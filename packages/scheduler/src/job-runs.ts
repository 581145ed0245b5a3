import type { Clock } from './clock.js';
import { SchedulerError } from './errors.js';
import { type Job, taskOf } from './job.js';
import { changeJob } from './job-change.js';
import { finished, type LifeRules, type RunResult, recovered, withoutPlan } from './job-life.js';
import type { JobStore } from './job-store.js';
import type { Task } from './task.js';

/** One run of a job. */
export interface Occasion {
  readonly job: Job;
  readonly task: Task;
  /** The time that the run is for, in Unix milliseconds. */
  readonly dueAt: number;
  /** `<job>:<due time>`: the same when a run that failed or was cut off is tried again, so that its effects can be told apart from new ones. */
  readonly runId: string;
  /** Aborts when the scheduler stops and does not wait any longer. */
  readonly signal: AbortSignal;
}

export interface JobRunsOptions {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly rules: LifeRules;
  readonly run: (occasion: Occasion) => Promise<RunResult>;
  readonly onError: (error: unknown, sentence: string) => void;
  readonly onChange: (job: Job) => void;
  /** A place has become free. */
  readonly onEnd: () => void;
  /** How often a claim is renewed. */
  readonly tickMs: number;
}

/** The runs of this process: each keeps its claim alive, and writes its outcome under it. */
export interface JobRuns {
  readonly size: number;
  has(jobId: string): boolean;
  /** Whether the claim of this job is held here. */
  holds(job: Job): boolean;
  /** Runs a job that was just claimed. Resolves when its outcome is stored; never rejects. */
  begin(job: Job): Promise<void>;
  /** Lets runs that fail from now on be taken up again. They have `graceMs`, then their signal aborts. */
  stop(graceMs: number): Promise<void>;
}

export function createJobRuns(options: JobRunsOptions): JobRuns {
  const { store, clock, rules, run, onError, onChange, onEnd, tickMs } = options;
  const running = new Map<string, { readonly token: number; readonly done: Promise<void> }>();
  const giveUp = new AbortController();
  let isStopping = false;

  async function carryOut(job: Job, token: number): Promise<void> {
    const over = new AbortController();
    const kept = keepClaim(job.id, token, over.signal);
    const result = await work(job);
    await settle(job.id, token, result);
    over.abort();
    await kept;
    if (running.get(job.id)?.token === token) running.delete(job.id);
    onEnd();
  }

  async function work(job: Job): Promise<RunResult> {
    const { dueAt = clock.now() } = job;
    try {
      const task = taskOf(job);
      return await run({ job, task, dueAt, runId: `${job.id}:${dueAt}`, signal: giveUp.signal });
    } catch (error) {
      return { status: 'error', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A new revision with each tick tells the others that this process lives. */
  async function keepClaim(id: string, token: number, over: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(tickMs, over);
      if (over.aborted) return;
      try {
        const job = await store.get(id);
        // Where somebody changes the job at this moment, that is a new revision too.
        if (job?.claim?.token === token) await store.replace(job, job);
      } catch (error) {
        onError(error, `The claim of the job ${id} could not be renewed.`);
      }
    }
  }

  /** Again with each tick while the store fails: what was done must not be forgotten. */
  async function settle(id: string, token: number, result: RunResult): Promise<void> {
    for (;;) {
      try {
        return await writeOutcome(id, token, result);
      } catch (error) {
        onError(error, `The outcome of the job ${id} could not be stored.`);
      }
      if (isStopping) return;
      await clock.sleep(tickMs, giveUp.signal);
    }
  }

  /** Under the claim; where another has taken the job meanwhile, it is not ours to write. */
  async function writeOutcome(id: string, token: number, result: RunResult): Promise<void> {
    let isOurs = false;
    try {
      const job = await changeJob(store, id, (seen) => {
        isOurs = seen.claim?.token === token;
        return isOurs ? ended(seen, result) : undefined;
      });
      if (isOurs) onChange(job);
      else onError(undefined, `The job ${id} was taken over while it ran here; its outcome was dropped.`);
    } catch (error) {
      // Deleted while it ran.
      if (!(error instanceof SchedulerError) || error.code !== 'unknown_job') throw error;
    }
  }

  function ended(job: Job, result: RunResult): Job {
    const now = clock.now();
    try {
      const isCutOff = isStopping && result.status === 'error';
      return isCutOff
        ? recovered(job, now, rules, `The process was stopped in the middle of it: ${result.reason}`)
        : finished(job, result, now, rules);
    } catch (error) {
      return withoutPlan(job, error, now);
    }
  }

  return {
    get size() {
      return running.size;
    },
    has: (jobId) => running.has(jobId),
    holds: ({ id, claim }) => claim !== undefined && running.get(id)?.token === claim.token,
    begin(job) {
      const token = job.claim?.token ?? job.revision;
      const done = carryOut(job, token);
      running.set(job.id, { token, done });
      onChange(job);
      return done;
    },
    async stop(graceMs) {
      isStopping = true;
      const ends = Promise.all([...running.values()].map(({ done }) => done));
      const patience = new AbortController();
      await Promise.race([ends, clock.sleep(graceMs, patience.signal)]);
      patience.abort();
      giveUp.abort();
      await ends;
    },
  };
}
