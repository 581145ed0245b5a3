import type { z } from 'zod';
import { invalidJob, type JobProblem } from './errors.js';
import { type Schedule, scheduleSchema } from './schedule.js';
import { payloadSchemas, type Task, targetSchema } from './task.js';

export type JobState = 'scheduled' | 'running' | 'paused' | 'completed';

/** What happens to due times that passed while nobody could run the job. */
export type MissedRuns = 'skip' | 'once' | 'all';

/** JSON as it is stored: read by `scheduleOf` and `taskOf`, which may find that it is not what it should be. */
export type JobJson = { readonly [name: string]: unknown };

/** A job as a store keeps it. Times in Unix milliseconds; what is not there is undefined. */
export interface Job {
  readonly id: string;
  /** `internal_event`, `outbound_message` or `agent_task`. */
  readonly kind: string;
  readonly schedule: JobJson;
  readonly target: JobJson;
  readonly payload: JobJson;
  /** False: stays as it is, and does not run by itself. */
  readonly enabled: boolean;
  readonly state: JobState;
  readonly lastStatus: 'ok' | 'error' | 'skipped' | undefined;
  readonly lastError: string | undefined;
  /** Runs that ended with ok or error. */
  readonly runCount: number;
  /** Completed after so many. */
  readonly maxRuns: number | undefined;
  readonly lastFiredAt: number | undefined;
  readonly nextFireAt: number | undefined;
  /** Set while the job is paused; on a running job: it will be, once it has run. */
  readonly pausedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;

  /** `configuration`, `tool`, or whoever else made it. */
  readonly source: string | undefined;
  readonly title: string | undefined;
  readonly missedRuns: MissedRuns | undefined;
  /** The due time that is being run, or is to be tried again at `nextFireAt`. */
  readonly dueAt: number | undefined;
  /** Errors in a row. */
  readonly failures: number;
  /** Who runs it. `token` is the revision of the claim: it never comes again, and fences what the run leaves behind. */
  readonly claim: { readonly owner: string; readonly token: number } | undefined;
  /** Rises with every change. */
  readonly revision: number;
}

/** The stored schedule; `SchedulerError` where it is none. */
export function scheduleOf(job: Pick<Job, 'id' | 'schedule'>): Schedule {
  return read(scheduleSchema, job.schedule, 'schedule', job.id);
}

/** The stored work; `SchedulerError` where it is none. */
export function taskOf({ id, kind, target, payload }: Pick<Job, 'id' | 'kind' | 'target' | 'payload'>): Task {
  const place = { target: read(targetSchema, target, 'target', id) };
  switch (kind) {
    case 'internal_event':
      return { kind, ...place, payload: read(payloadSchemas[kind], payload, 'payload', id) };
    case 'outbound_message':
      return { kind, ...place, payload: read(payloadSchemas[kind], payload, 'payload', id) };
    case 'agent_task':
      return { kind, ...place, payload: read(payloadSchemas[kind], payload, 'payload', id) };
    default:
      throw invalidJob([{ path: 'kind', message: `there is no kind ${JSON.stringify(kind)}` }], id);
  }
}

function read<Value>(schema: z.ZodType<Value>, value: unknown, root: string, id: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidJob(problemsIn(parsed.error, root), id);
}

/** zod's complaints, each with its place under `root`. */
export function problemsIn(error: z.ZodError, root = ''): JobProblem[] {
  return error.issues.map(({ path, message }) => ({
    path: [root, ...path.map(String)].filter((part) => part !== '').join('.'),
    message,
  }));
}
