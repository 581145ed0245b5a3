import { z } from 'zod';
import { ownToken } from '../configuration/access-tokens.js';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import { type Environment, environmentValue } from '../configuration/environment.js';
import { openGateway } from '../gateway.js';
import { findRunningGateway } from '../gateway-address.js';
import { type JobView, viewJob } from '../jobs/job-view.js';
import { createLog } from '../log.js';
import { RunError } from '../run-error.js';

export interface JobRun {
  readonly job: JobView;
  /** False where the gateway that runs it goes on with it. */
  readonly isOver: boolean;
}

const answerSchema = z.object({ job: z.custom<JobView>((value) => typeof value === 'object') });
const problemSchema = z.object({ error: z.object({ message: z.string() }) });

/** Runs a job in the gateway that runs on this data, where one does, else here until it is over. */
export async function runJobNow(
  configuration: Configuration,
  environment: Environment,
  id: string,
): Promise<JobRun> {
  const address = await findRunningGateway(dataLayout(configuration).address);
  return address === undefined
    ? runHere(configuration, environment, id)
    : runThere(address.url, ownToken(configuration.gateway.tokens), id);
}

async function runThere(url: string, token: string | undefined, id: string): Promise<JobRun> {
  const answer = await fetch(new URL(`/api/jobs/${encodeURIComponent(id)}/run`, url), {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  }).catch(() => {
    throw new RunError(`The gateway at ${url} does not answer.`);
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return { job: answerSchema.parse(body).job, isOver: false };
  const problem = problemSchema.safeParse(body).data?.error.message;
  throw new RunError(problem ?? `The gateway at ${url} answered ${answer.status}.`);
}

async function runHere(configuration: Configuration, environment: Environment, id: string): Promise<JobRun> {
  const level = environmentValue(environment, 'HOLDFAST_LOG') ?? 'error';
  const gateway = await openGateway(
    configuration,
    environment,
    createLog(level, process.stderr.isTTY === true),
  );
  try {
    await (await gateway.jobs.run(id)).done;
    return { job: viewJob(await gateway.jobs.get(id)), isOver: true };
  } finally {
    await gateway.close({ graceMs: 0 });
  }
}
