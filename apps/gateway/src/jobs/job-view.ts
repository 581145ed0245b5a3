import type { Job } from '@x/scheduler';
import type { JsonValue } from '@x/session-store';

/** How the API, the command line and the agents' tool write a job: snake_case, times in UTC, absent as null. */
export interface JobView {
  readonly id: string;
  readonly title: string | null;
  readonly kind: string;
  readonly schedule: JsonValue;
  readonly target: JsonValue;
  readonly payload: JsonValue;
  readonly enabled: boolean;
  readonly state: string;
  readonly last_status: string | null;
  readonly last_error: string | null;
  readonly run_count: number;
  readonly max_runs: number | null;
  readonly last_fired_at: string | null;
  readonly next_fire_at: string | null;
  readonly paused_at: string | null;
  readonly completed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly source: string | null;
  readonly missed_runs: string | null;
  /** Errors in a row. */
  readonly failures: number;
  /** The process that runs it. */
  readonly running_in: string | null;
}

export function viewJob(job: Job): JobView {
  const { timestamp } = job.schedule;
  const at = typeof timestamp === 'number' ? { timestamp: timeOf(timestamp) } : {};
  return {
    id: job.id,
    title: job.title ?? null,
    kind: job.kind,
    schedule: { ...json(job.schedule), ...at },
    target: json(job.target),
    payload: json(job.payload),
    enabled: job.enabled,
    state: job.state,
    last_status: job.lastStatus ?? null,
    last_error: job.lastError ?? null,
    run_count: job.runCount,
    max_runs: job.maxRuns ?? null,
    last_fired_at: timeOf(job.lastFiredAt),
    next_fire_at: timeOf(job.nextFireAt),
    paused_at: timeOf(job.pausedAt),
    completed_at: timeOf(job.completedAt),
    created_at: timeOf(job.createdAt) ?? '',
    updated_at: timeOf(job.updatedAt) ?? '',
    source: job.source ?? null,
    missed_runs: job.missedRuns ?? null,
    failures: job.failures,
    running_in: job.claim?.owner ?? null,
  };
}

/** It was JSON when it was stored. */
function json(value: Job['payload']): { readonly [name: string]: JsonValue } {
  return value as { readonly [name: string]: JsonValue };
}

function timeOf(milliseconds: number | undefined): string | null {
  if (milliseconds === undefined) return null;
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}
