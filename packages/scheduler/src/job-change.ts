import { SchedulerError } from './errors.js';
import type { Job } from './job.js';
import type { JobStore } from './job-store.js';

/** So often others may come in between before it is given up. */
const attempts = 50;

/** The job of this id; throws `SchedulerError` (`unknown_job`). */
export async function jobOf(store: JobStore, id: string): Promise<Job> {
  const job = await store.get(id);
  if (job !== undefined) return job;
  throw new SchedulerError('unknown_job', `There is no job ${JSON.stringify(id)}.`, { jobId: id });
}

/**
 * Changes a job as it is at this moment, again where others come in between. `change` may throw, or return undefined
 * where there is nothing to change; then the job comes back as it is.
 */
export async function changeJob(
  store: JobStore,
  id: string,
  change: (job: Job) => Job | undefined,
): Promise<Job> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const seen = await jobOf(store, id);
    const next = change(seen);
    if (next === undefined) return seen;
    const stored = await store.replace(seen, next);
    if (stored !== undefined) return stored;
  }
  throw new SchedulerError(
    'job_busy',
    `The job ${JSON.stringify(id)} is changed by others all the while. Try again.`,
    { jobId: id },
  );
}
