import type { Job } from './job.js';
import type { JobStore } from './job-store.js';

/** Jobs that are gone with the process: for tests, and for what needs no more. */
export function createMemoryJobStore(): JobStore {
  const jobs = new Map<string, Job>();

  function waiting(): Job[] {
    return [...jobs.values()].filter(
      ({ enabled, state, nextFireAt }) => enabled && state === 'scheduled' && nextFireAt !== undefined,
    );
  }
  const dueAt = ({ nextFireAt = 0 }: Job) => nextFireAt;

  return {
    async insert(job) {
      if (jobs.has(job.id)) return false;
      jobs.set(job.id, copied({ ...job, revision: 1 }));
      return true;
    },
    async get(id) {
      return copied(jobs.get(id));
    },
    async list() {
      return [...jobs.values()]
        .sort((left, right) => left.createdAt - right.createdAt || compare(left.id, right.id))
        .map(copied);
    },
    async due(now, limit) {
      return waiting()
        .filter((job) => dueAt(job) <= now)
        .sort((left, right) => dueAt(left) - dueAt(right) || compare(left.id, right.id))
        .slice(0, limit)
        .map(copied);
    },
    async nextDueAt() {
      const times = waiting().map(dueAt);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async running() {
      return [...jobs.values()].filter(({ state }) => state === 'running').map(copied);
    },
    async replace(seen, next) {
      if (jobs.get(seen.id)?.revision !== seen.revision) return undefined;
      const stored = copied({ ...next, id: seen.id, revision: seen.revision + 1 });
      jobs.set(seen.id, stored);
      return copied(stored);
    },
    async remove(id) {
      return jobs.delete(id);
    },
  };
}

/** Nobody changes what is stored by changing what was given or read. */
function copied<Value>(value: Value): Value {
  return structuredClone(value);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
