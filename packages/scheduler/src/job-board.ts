import type { Clock } from './clock.js';
import { SchedulerError } from './errors.js';
import type { Job } from './job.js';
import { changeJob, jobOf } from './job-change.js';
import { paused, resumed } from './job-life.js';
import { type JobRequest, newJob } from './job-request.js';
import type { JobStore } from './job-store.js';

/** The jobs as people and agents handle them. Needs no running scheduler. Rejects with `SchedulerError`. */
export interface JobBoard {
  /** `job_exists` where the id is taken, `invalid_job` where its only time has passed. */
  create(request: JobRequest, source: string): Promise<Job>;
  get(id: string): Promise<Job>;
  /** Oldest first. */
  list(): Promise<readonly Job[]>;
  /** A job that runs ends its run first. Pausing again changes nothing. */
  pause(id: string): Promise<Job>;
  /** Goes on with the next time of its schedule. Resuming again changes nothing. */
  resume(id: string): Promise<Job>;
  /** A run that is under way ends, and leaves nothing behind. */
  delete(id: string): Promise<void>;
}

export interface JobBoardOptions {
  readonly store: JobStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly createId: () => string;
}

export function createJobBoard({ store, clock, createId }: JobBoardOptions): JobBoard {
  return {
    async create(request, source) {
      const job = newJob(request, { id: request.id ?? createId(), now: clock.now(), source });
      if (await store.insert(job)) return jobOf(store, job.id);
      throw new SchedulerError('job_exists', `There is a job ${JSON.stringify(job.id)} already.`, {
        jobId: job.id,
      });
    },
    get: (id) => jobOf(store, id),
    list: () => store.list(),
    pause: (id) =>
      changeJob(store, id, (job) => {
        checkNotOver(job);
        return job.pausedAt === undefined ? paused(job, clock.now()) : undefined;
      }),
    resume: (id) =>
      changeJob(store, id, (job) => {
        checkNotOver(job);
        const isPaused = job.pausedAt !== undefined || job.state === 'paused';
        return isPaused ? resumed(job, clock.now()) : undefined;
      }),
    async delete(id) {
      if (await store.remove(id)) return;
      await jobOf(store, id);
    },
  };
}

function checkNotOver({ id, state }: Job): void {
  if (state !== 'completed') return;
  throw new SchedulerError('job_completed', `The job ${JSON.stringify(id)} is completed.`, { jobId: id });
}
