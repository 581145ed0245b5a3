import { defineTool, type Tool } from '@x/agent-runtime';
import { type Job, parseJobRequest, SchedulerError, scheduleSchema } from '@x/scheduler';
import type { JsonValue, SessionBackend } from '@x/session-store';
import { z } from 'zod';
import type { GatewayJobs } from '../jobs/gateway-jobs.js';
import type { JobSettings } from '../jobs/job-settings.js';
import { viewJob } from '../jobs/job-view.js';
import { targetOfSession } from '../jobs/spoken-place.js';

/** A conversation that plans more than this plans in circles. */
const MAX_JOBS = 50;

const inputSchema = z.object({
  action: z.enum(['create', 'list', 'pause', 'resume', 'delete', 'run']),
  id: z.string().optional().describe('The job, for pause, resume, delete and run.'),
  title: z.string().max(200).optional().describe('What the job is for, in a few words.'),
  schedule: scheduleSchema
    .optional()
    .describe(
      'For create: {type: "delay", seconds}, {type: "interval", seconds}, {type: "at", timestamp} with an ISO 8601 time and its offset, or {type: "cron", expression, time_zone}.',
    ),
  message: z.string().optional().describe('For create: said in the chat as it is, without the agent.'),
  prompt: z.string().optional().describe('For create: said to the agent, who answers in the chat.'),
  fresh_session: z.boolean().optional().describe('With prompt: the conversation begins anew first.'),
  max_runs: z.int().min(1).optional(),
  session: z.string().optional().describe('Another conversation than this one, where that is allowed.'),
});
type Input = z.output<typeof inputSchema>;

/** Lets the model plan what is said later. Without leave it sees and makes jobs of its own conversation alone. */
export function schedulerManageTool(
  jobs: GatewayJobs,
  backend: SessionBackend,
  { toolReach }: Pick<JobSettings, 'toolReach'>,
): Tool {
  async function inReach(sessionKey: string): Promise<readonly Job[]> {
    const all = await jobs.list();
    return toolReach === 'all' ? all : all.filter(({ target }) => target.session === sessionKey);
  }

  async function named(id: string | undefined, sessionKey: string): Promise<string> {
    const job = (await inReach(sessionKey)).find((each) => each.id === id);
    if (job !== undefined) return job.id;
    throw new SchedulerError(
      'unknown_job',
      `There is no job ${JSON.stringify(id ?? '')} in this conversation.`,
    );
  }

  async function create(input: Input, sessionKey: string): Promise<Job> {
    const { schedule, message, prompt, session, title, fresh_session, max_runs } = input;
    if (session !== undefined && session !== sessionKey && toolReach !== 'all') {
      throw new SchedulerError('invalid_job', 'session: jobs of other conversations are not allowed here.');
    }
    if ((message === undefined) === (prompt === undefined)) {
      throw new SchedulerError('invalid_job', 'Give either message or prompt.');
    }
    const open = (await inReach(sessionKey)).filter(({ state }) => state !== 'completed');
    if (open.length >= MAX_JOBS) {
      throw new SchedulerError('invalid_job', `There are ${MAX_JOBS} jobs already. Delete some first.`);
    }
    const heard = session ?? sessionKey;
    const target = targetOfSession(heard, await backend.meta(heard));
    const what =
      message === undefined
        ? {
            kind: 'agent_task',
            payload: { prompt, ...(fresh_session === undefined ? {} : { fresh_session }) },
          }
        : { kind: 'outbound_message', payload: { content: message } };
    return jobs.create(
      parseJobRequest({
        ...what,
        schedule,
        target,
        ...(title === undefined ? {} : { title }),
        ...(max_runs === undefined ? {} : { max_runs }),
      }),
      'tool',
    );
  }

  return defineTool({
    name: 'scheduler_manage',
    description:
      'Plans something for later in this conversation (a reminder, a regular report), and lists, pauses, resumes, deletes or runs what was planned.',
    inputSchema,
    async execute(input, { sessionKey }): Promise<JsonValue> {
      switch (input.action) {
        case 'create':
          return { job: shown(await create(input, sessionKey)) };
        case 'list':
          return { jobs: (await inReach(sessionKey)).map(shown) };
        case 'pause':
          return { job: shown(await jobs.pause(await named(input.id, sessionKey))) };
        case 'resume':
          return { job: shown(await jobs.resume(await named(input.id, sessionKey))) };
        case 'delete': {
          const id = await named(input.id, sessionKey);
          await jobs.delete(id);
          return { deleted: id };
        }
        case 'run':
          return { job: shown((await jobs.run(await named(input.id, sessionKey))).job) };
      }
    },
  });
}

/** What a model needs to know of a job. */
function shown(job: Job): JsonValue {
  const { id, title, kind, schedule, payload, state, last_status, last_error, run_count, next_fire_at } =
    viewJob(job);
  return { id, title, kind, schedule, payload, state, last_status, last_error, run_count, next_fire_at };
}
