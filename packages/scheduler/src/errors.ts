/**
 * `invalid_job`: what was given is no job; `problems` says all that is wrong · `unknown_job` · `job_exists`: the id is
 * taken · `job_running`: it runs at this moment · `job_completed`: it is over, and only `run` makes it run again ·
 * `job_busy`: others change it all the time.
 */
export type SchedulerErrorCode =
  | 'invalid_job'
  | 'unknown_job'
  | 'job_exists'
  | 'job_running'
  | 'job_completed'
  | 'job_busy';

/** One thing wrong with a job: where (`schedule.expression`), and a sentence. */
export interface JobProblem {
  readonly path: string;
  readonly message: string;
}

export class SchedulerError extends Error {
  readonly code: SchedulerErrorCode;
  readonly jobId: string | undefined;
  /** With `invalid_job`: everything that is wrong. */
  readonly problems: readonly JobProblem[];

  constructor(
    code: SchedulerErrorCode,
    message: string,
    details: { readonly jobId?: string; readonly problems?: readonly JobProblem[] } = {},
  ) {
    super(message);
    this.name = 'SchedulerError';
    this.code = code;
    this.jobId = details.jobId;
    this.problems = details.problems ?? [];
  }
}

export function invalidJob(problems: readonly JobProblem[], jobId?: string): SchedulerError {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new SchedulerError('invalid_job', lines.join('; '), {
    problems,
    ...(jobId === undefined ? {} : { jobId }),
  });
}
