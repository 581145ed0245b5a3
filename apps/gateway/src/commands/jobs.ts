import { randomUUID } from 'node:crypto';
import { createJobBoard, type Job, type JobBoard, systemClock } from '@x/scheduler';
import { createJobStore, type SqliteFile } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { inZone } from '../jobs/job-settings.js';
import { type JobView, viewJob } from '../jobs/job-view.js';
import { RunError } from '../run-error.js';
import { confirm } from './confirmation.js';
import { type JobFlags, jobOfFlags } from './job-flags.js';
import { readingOperations, writingOperations } from './operations.js';
import { printable } from './printable.js';
import { table } from './table.js';

const STATES = ['scheduled', 'running', 'paused', 'completed'];

export async function listJobs(
  configuration: Configuration,
  state: string | undefined,
  asJson: boolean,
): Promise<string> {
  if (state !== undefined && !STATES.includes(state))
    throw new RunError(`--state: expected one of ${STATES.join(', ')}, got ${state}.`, 2);
  const all = await readingOperations(configuration, async (file) =>
    file === undefined ? [] : createJobStore(file).list(),
  );
  const jobs = all.filter((job) => state === undefined || job.state === state).map(viewJob);
  if (asJson) return `${JSON.stringify(jobs, null, 2)}\n`;
  if (jobs.length === 0) return 'No jobs.\n';
  return table(
    ['ID', 'STATE', 'NEXT', 'LAST', 'RUNS', 'WHEN', 'WHAT'],
    jobs.map((job) => [
      job.id,
      job.enabled ? job.state : `${job.state}, off`,
      minuteOf(job.next_fire_at),
      job.last_status === null ? '' : `${job.last_status} ${minuteOf(job.last_fired_at)}`,
      job.max_runs === null ? String(job.run_count) : `${job.run_count}/${job.max_runs}`,
      wordsOf(job.schedule),
      job.title ?? `${job.kind}: ${wordsOf(job.payload)}`.slice(0, 60),
    ]),
  );
}

export async function showJob(configuration: Configuration, id: string, asJson: boolean): Promise<string> {
  const job = await readingOperations(configuration, async (file) =>
    file === undefined ? undefined : createJobStore(file).get(id),
  );
  if (job === undefined) throw noJob(id);
  const view = viewJob(job);
  if (asJson) return `${JSON.stringify({ job: view }, null, 2)}\n`;
  const lines = Object.entries(view)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) => `${name.padEnd(15)} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
    );
  return printable(`${lines.join('\n')}\n`);
}

export function addJob(configuration: Configuration, flags: JobFlags): Promise<JobView> {
  const request = inZone(jobOfFlags(flags), configuration.jobs.timeZone);
  return onBoard(configuration, (board) => board.create(request, 'cli'));
}

export function changeJobState(
  configuration: Configuration,
  change: 'pause' | 'resume',
  id: string,
): Promise<JobView> {
  return onBoard(configuration, (board) => board[change](id));
}

export async function deleteJob(
  configuration: Configuration,
  id: string,
  isConfirmed: boolean,
): Promise<JobView> {
  await confirm(`Delete the job ${id}? Nothing brings it back.`, isConfirmed);
  return onBoard(configuration, async (board) => {
    const job = await board.get(id);
    await board.delete(id);
    return job;
  });
}

/** A running gateway shares the file, and sees what is due with its next look. */
async function onBoard(
  configuration: Configuration,
  change: (board: JobBoard) => Promise<Job>,
): Promise<JobView> {
  const board = (file: SqliteFile) =>
    createJobBoard({
      store: createJobStore(file),
      clock: systemClock,
      createId: () => `job-${randomUUID().slice(0, 8)}`,
    });
  return viewJob(await writingOperations(configuration, (file) => change(board(file))));
}

export function noJob(id: string): RunError {
  return new RunError(`There is no job ${JSON.stringify(id)}. See: holdfast jobs list`);
}

function minuteOf(time: string | null): string {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ');
}

/** The values, without their names. */
function wordsOf(json: unknown): string {
  return Object.values(Object(json))
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
    .join(' ');
}
