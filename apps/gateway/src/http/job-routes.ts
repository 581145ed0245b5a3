import { parseJobRequest, SchedulerError, type SchedulerErrorCode, scheduleSchema } from '@x/scheduler';
import { z } from 'zod';
import type { Gateway } from '../gateway.js';
import { viewJob } from '../jobs/job-view.js';
import { RequestError, type RequestStatus } from '../request-error.js';
import { defineRoute, type Route } from './route.js';

const jobBody = z.looseObject({
  id: z.string().optional().describe('Default: one is made up.'),
  title: z.string().optional(),
  kind: z.enum(['internal_event', 'outbound_message', 'agent_task']),
  schedule: scheduleSchema,
  target: z.looseObject({}).optional().describe('{session}, or {channel, chat_id, …}.'),
  payload: z
    .looseObject({})
    .describe(
      '{event}, {content}, or {prompt, fresh_session, system_prompt, sender_id, metadata}, as the kind wants it.',
    ),
  enabled: z.boolean().optional(),
  max_runs: z.number().optional(),
  missed_runs: z.enum(['skip', 'once', 'all']).optional(),
});

export const jobRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/jobs',
    summary: 'Lists the jobs, oldest first',
    query: z.object({ state: z.enum(['scheduled', 'running', 'paused', 'completed']).optional() }),
    answer: '{jobs}',
    async handle({ gateway, query }) {
      const jobs = await gateway.jobs.list();
      const wanted = jobs.filter(({ state }) => query.state === undefined || state === query.state);
      return Response.json({ jobs: wanted.map(viewJob) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/jobs',
    summary: 'Makes a job',
    body: jobBody,
    answer: '{job}',
    errors: ['invalid_job', 'job_exists'],
    handle: ({ gateway, body }) =>
      asked(async () => ({ job: viewJob(await gateway.jobs.create(parseJobRequest(body), 'api')) })),
  }),
  defineRoute({
    method: 'get',
    path: '/api/jobs/{id}',
    summary: 'Shows a job',
    answer: '{job}',
    errors: ['unknown_job'],
    handle: ({ gateway, parameter }) =>
      asked(async () => ({ job: viewJob(await gateway.jobs.get(parameter('id'))) })),
  }),
  action(
    'pause',
    'Runs the job no more until it is resumed; a run under way ends first',
    async ({ jobs }, id) => jobs.pause(id),
  ),
  action('resume', 'Lets a paused job go on with the next time of its schedule', async ({ jobs }, id) =>
    jobs.resume(id),
  ),
  action('run', 'Runs the job now, beside its schedule; answers when it has begun', async ({ jobs }, id) => {
    const { job } = await jobs.run(id);
    return job;
  }),
  defineRoute({
    method: 'delete',
    path: '/api/jobs/{id}',
    summary: 'Deletes the job; one of the configuration comes back with the next start',
    answer: '{deleted: true}',
    errors: ['unknown_job'],
    handle: ({ gateway, parameter }) =>
      asked(async () => {
        await gateway.jobs.delete(parameter('id'));
        return { deleted: true };
      }),
  }),
];

function action(
  name: string,
  summary: string,
  act: (gateway: Gateway, id: string) => ReturnType<Gateway['jobs']['get']>,
): Route {
  return defineRoute({
    method: 'post',
    path: `/api/jobs/{id}/${name}`,
    summary,
    answer: '{job}',
    errors: ['unknown_job', name === 'run' ? 'job_running' : 'job_completed'],
    handle: ({ gateway, parameter }) =>
      asked(async () => ({ job: viewJob(await act(gateway, parameter('id'))) })),
  });
}

const JOB_STATUS: Readonly<Record<SchedulerErrorCode, readonly [RequestStatus, string]>> = {
  invalid_job: [400, 'invalid_job'],
  unknown_job: [404, 'unknown_job'],
  job_exists: [409, 'job_exists'],
  job_running: [409, 'job_running'],
  job_completed: [409, 'job_completed'],
  job_busy: [503, 'job_busy'],
};

async function asked(answer: () => Promise<object>): Promise<Response> {
  try {
    return Response.json(await answer());
  } catch (error) {
    if (error instanceof SchedulerError) throw new RequestError(...JOB_STATUS[error.code], error.message);
    throw error;
  }
}
