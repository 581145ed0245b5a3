import { isDeepStrictEqual } from 'node:util';
import { SchedulerError } from './errors.js';
import type { Job } from './job.js';
import { changeJob } from './job-change.js';
import { type JobRequest, newJob } from './job-request.js';
import type { JobStore } from './job-store.js';
import { isOneShot } from './schedule.js';

export interface ConfiguredJobs {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What could not be made, and why: its only time has passed, or somebody else's job has its id. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

export const configurationSource = 'configuration';

/**
 * Makes the jobs of a configuration what the configuration says: new ones are made, changed ones changed, and those
 * it no longer names removed. Jobs made otherwise are not touched, and a paused one stays paused.
 */
export async function synchroniseJobs(
  store: JobStore,
  requests: readonly (JobRequest & { readonly id: string })[],
  now: number,
): Promise<ConfiguredJobs> {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const refused: { id: string; reason: string }[] = [];
  for (const request of requests) {
    const { id } = request;
    try {
      const done = await synchroniseJob(store, request, now);
      if (done === 'added') added.push(id);
      if (done === 'changed') changed.push(id);
      if (done === 'foreign') refused.push({ id, reason: 'A job that was made otherwise has this id.' });
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      refused.push({ id, reason: error.message });
    }
  }
  const named = new Set(requests.map(({ id }) => id));
  for (const { id, source } of await store.list()) {
    if (source !== configurationSource || named.has(id)) continue;
    if (await store.remove(id)) removed.push(id);
  }
  return { added, changed, removed, refused };
}

async function synchroniseJob(
  store: JobStore,
  request: JobRequest & { readonly id: string },
  now: number,
): Promise<'added' | 'changed' | 'same' | 'foreign'> {
  const { id } = request;
  const known = await store.get(id);
  if (known === undefined) {
    const isNew = await store.insert(newJob(request, { id, now, source: configurationSource }));
    // Where another process was quicker, what it made is looked at like any other.
    return isNew ? 'added' : synchroniseJob(store, request, now);
  }
  if (known.source !== configurationSource) return 'foreign';
  let done: 'changed' | 'same' = 'same';
  await changeJob(store, id, (job) => {
    const next = asConfigured(job, request, now);
    done = next === undefined ? 'same' : 'changed';
    return next;
  });
  return done;
}

/** The job with its new definition; undefined where it has that already. Another schedule begins anew. */
function asConfigured(job: Job, request: JobRequest & { readonly id: string }, now: number): Job | undefined {
  const isSameSchedule = isDeepStrictEqual(job.schedule, request.schedule);
  // A time that has passed is refused only where the job is to wait for it.
  const birth = { id: job.id, now: isSameSchedule ? job.createdAt : now, source: configurationSource };
  const fresh = isSameSchedule ? { ...job, ...definition(request) } : newJob(request, birth);
  if (isSameSchedule) return isDeepStrictEqual(fresh, job) ? undefined : { ...fresh, updatedAt: now };
  const begun: Job = {
    ...job,
    ...definition(request),
    schedule: request.schedule,
    // What a delay counts from.
    createdAt: isOneShot(request.schedule) ? now : job.createdAt,
    updatedAt: now,
    nextFireAt: fresh.nextFireAt,
    completedAt: undefined,
    failures: 0,
  };
  if (job.state === 'running') return begun;
  const waiting: Job = {
    ...begun,
    dueAt: undefined,
    state: job.pausedAt === undefined ? 'scheduled' : 'paused',
  };
  return waiting.state === 'paused' ? { ...waiting, nextFireAt: undefined } : waiting;
}

function definition(request: JobRequest) {
  return {
    kind: request.kind,
    target: request.target ?? {},
    payload: request.payload,
    enabled: request.enabled ?? true,
    maxRuns: request.max_runs,
    title: request.title,
    missedRuns: request.missed_runs,
  };
}
