import type { Job } from './job.js';

interface Sighting {
  readonly revision: number;
  readonly at: number;
  readonly stoodMs: number;
}

/** Tells which claims of others nobody renews any more. */
export interface ClaimWatch {
  /** Looks at the running jobs of others, and returns those that have stood still for the lease. */
  abandoned(jobs: readonly Job[], now: number): Job[];
}

/**
 * A claim is renewed by a new revision. Here it is seen to stand still, by this process's own looking: no clock of
 * another machine is compared with this one's, and from one look to the next no more than `lookMs` counts, so that
 * neither a clock that jumps nor a machine that slept lets the claim of a living process run out.
 */
export function createClaimWatch(leaseMs: number, lookMs: number): ClaimWatch {
  let sightings = new Map<string, Sighting>();
  return {
    abandoned(jobs, now) {
      const seen = new Map<string, Sighting>();
      const still: Job[] = [];
      for (const job of jobs) {
        const before = sightings.get(job.id);
        const isSame = before !== undefined && before.revision === job.revision;
        const passed = isSame ? Math.min(Math.max(0, now - before.at), lookMs) : 0;
        const stoodMs = isSame ? before.stoodMs + passed : 0;
        seen.set(job.id, { revision: job.revision, at: now, stoodMs });
        if (stoodMs >= leaseMs) still.push(job);
      }
      sightings = seen;
      return still;
    },
  };
}
