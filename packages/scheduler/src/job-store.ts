import type { Job } from './job.js';

/**
 * Where jobs are kept: one table with compare-and-set, and no rule of its own. Several processes may share one; every
 * promise resolves once the change is as safe as the medium makes it, and rejects where nothing was changed. What the
 * scheduler promises of claims rests on `replace` alone. Each promise is proven in `@x/scheduler/conformance`.
 */
export interface JobStore {
  /** Stores a job with revision 1. False where there is one of this id: then nothing is stored. */
  insert(job: Job): Promise<boolean>;
  get(id: string): Promise<Job | undefined>;
  /** All, oldest first, of equal age by id. */
  list(): Promise<readonly Job[]>;
  /** Enabled jobs in the state `scheduled` whose `nextFireAt` is at or before `now`, soonest first, at most `limit`. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /** The soonest `nextFireAt` of enabled jobs in the state `scheduled`. */
  nextDueAt(): Promise<number | undefined>;
  /** Jobs in the state `running`. */
  running(): Promise<readonly Job[]>;
  /**
   * Compare and set: stores `next` under the id of `seen` with the revision after it, and resolves to what is stored.
   * Undefined, and nothing changed, where the job is not as it was `seen` any more, or is gone. Of several who have
   * seen the same, one succeeds.
   */
  replace(seen: Job, next: Job): Promise<Job | undefined>;
  /** Removes the job, whatever its revision. False where there is none. */
  remove(id: string): Promise<boolean>;
}
