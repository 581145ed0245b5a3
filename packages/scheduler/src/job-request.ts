import { z } from 'zod';
import { firstDue } from './due-time.js';
import { invalidJob } from './errors.js';
import { type Job, problemsIn } from './job.js';
import { scheduleSchema } from './schedule.js';
import { payloadSchemas, targetSchema } from './task.js';

const common = {
  id: z
    .string()
    .regex(/^[\w.:-]{1,128}$/, 'expected 1 to 128 letters, digits, "_", ".", ":" or "-"')
    .optional()
    .describe('Default: one is made up.'),
  title: z.string().max(200).optional().describe('For people.'),
  schedule: scheduleSchema,
  target: targetSchema.optional().describe('Where it speaks: {session}, or {channel, chat_id, …}.'),
  enabled: z.boolean().optional(),
  max_runs: z.int().min(1).max(1_000_000_000).optional().describe('Completed after so many runs.'),
  missed_runs: z
    .enum(['skip', 'once', 'all'])
    .optional()
    .describe('What passed while nothing ran: left out, made up for once, or each of it (the newest 20).'),
};

/** A job to be made, in the JSON that is configured and sent. Unknown members are refused. */
export const jobRequestSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      ...common,
      kind: z.literal('internal_event'),
      payload: payloadSchemas.internal_event,
    }),
    z.strictObject({
      ...common,
      kind: z.literal('outbound_message'),
      payload: payloadSchemas.outbound_message,
    }),
    z.strictObject({ ...common, kind: z.literal('agent_task'), payload: payloadSchemas.agent_task }),
  ])
  .superRefine(({ kind, target }, context) => {
    if (kind === 'internal_event' || target?.session !== undefined) return;
    if (target?.channel !== undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['target'],
      message: 'expected {session} or {channel, chat_id, …}: somebody has to hear it',
    });
  });

export type JobRequest = z.output<typeof jobRequestSchema>;

/** Reads a job from outside. Throws `SchedulerError` (`invalid_job`) with everything that is wrong. */
export function parseJobRequest(value: unknown): JobRequest {
  const parsed = jobRequestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidJob(problemsIn(parsed.error));
}

export interface JobBirth {
  readonly id: string;
  readonly now: number;
  readonly source: string;
}

/** The job as it begins. Throws `SchedulerError` where its only time has passed. */
export function newJob(request: JobRequest, { id, now, source }: JobBirth): Job {
  const { schedule, target = {} } = request;
  const nextFireAt = firstDue(schedule, now);
  if (schedule.type === 'at' && schedule.timestamp <= now) {
    const when = new Date(schedule.timestamp).toISOString();
    const message = `lies in the past: ${when}, and it is ${new Date(now).toISOString()}`;
    throw invalidJob([{ path: 'schedule.timestamp', message }], id);
  }
  return {
    id,
    kind: request.kind,
    schedule,
    target,
    payload: request.payload,
    enabled: request.enabled ?? true,
    state: 'scheduled',
    lastStatus: undefined,
    lastError: undefined,
    runCount: 0,
    maxRuns: request.max_runs,
    lastFiredAt: undefined,
    nextFireAt,
    pausedAt: undefined,
    completedAt: undefined,
    createdAt: now,
    updatedAt: now,
    source,
    title: request.title,
    missedRuns: request.missed_runs,
    dueAt: undefined,
    failures: 0,
    claim: undefined,
    revision: 0,
  };
}
