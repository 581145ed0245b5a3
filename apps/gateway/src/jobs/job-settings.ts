import { type JobRequest, jobRequestSchema, type MissedRuns } from '@x/scheduler';
import { isTimeZone } from '@x/session-store/policies';
import { z } from 'zod';

const configuredJobSchema = jobRequestSchema.refine(({ id }) => id !== undefined, {
  path: ['id'],
  error: 'expected an id: by it the job is known again at the next start',
});

/** The `scheduler` block of the configuration. */
export const schedulerSchema = z.strictObject({
  enabled: z.boolean().optional().describe('false: this gateway runs no jobs. Default true.'),
  time_zone: z
    .string()
    .refine(isTimeZone, 'expected a time zone as IANA names it, such as Europe/Berlin')
    .optional()
    .describe('Of cron expressions that name none. Default UTC.'),
  missed_runs: z
    .enum(['skip', 'once', 'all'])
    .optional()
    .describe('What becomes of due times that passed while no gateway ran. Default once.'),
  tool_reach: z
    .enum(['conversation', 'all'])
    .optional()
    .describe('Whose jobs an agent may see and make: those of its conversation (default), or all.'),
  jobs: z.array(configuredJobSchema).optional().describe('Jobs that the gateway makes when it starts.'),
});

export type ConfiguredJob = JobRequest & { readonly id: string };

export interface JobSettings {
  readonly isEnabled: boolean;
  readonly timeZone: string | undefined;
  readonly missedRuns: MissedRuns;
  readonly toolReach: 'conversation' | 'all';
  readonly jobs: readonly ConfiguredJob[];
}

/** `complain` is told what the block cannot mean, by its place in the file. */
export function jobSettingsOf(
  written: z.output<typeof schedulerSchema> = {},
  complain: (path: string, message: string) => void,
): JobSettings {
  const { time_zone: timeZone, jobs = [] } = written;
  const seen = new Set<string>();
  const named: ConfiguredJob[] = [];
  for (const [index, job] of jobs.entries()) {
    const { id } = job;
    if (id === undefined) continue;
    if (seen.has(id)) complain(`scheduler.jobs[${index}].id`, `another job is called ${id} as well`);
    seen.add(id);
    named.push({ ...inZone(job, timeZone), id });
  }
  return {
    isEnabled: written.enabled ?? true,
    timeZone,
    missedRuns: written.missed_runs ?? 'once',
    toolReach: written.tool_reach ?? 'conversation',
    jobs: named,
  };
}

/** A cron expression is read in the zone in force where it was written: a later change of that does not move the job. */
export function inZone(job: JobRequest, timeZone: string | undefined): JobRequest {
  const { schedule } = job;
  return timeZone === undefined || schedule.type !== 'cron' || schedule.time_zone !== undefined
    ? job
    : { ...job, schedule: { ...schedule, time_zone: timeZone } };
}
