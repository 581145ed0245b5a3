import { randomUUID } from 'node:crypto';
import {
  type Clock,
  createJobBoard,
  createScheduler,
  type Job,
  type JobBoard,
  type JobRequest,
  type JobStore,
  type Occasion,
  type RunResult,
  synchroniseJobs,
  systemClock,
} from '@x/scheduler';
import type { Log } from '../log.js';
import type { ReceivingHouse } from '../receive.js';
import { runAgentTask } from './agent-task.js';
import { deliver } from './deliver.js';
import { type EventHouse, runInternalEvent } from './internal-events.js';
import { inZone, type JobSettings } from './job-settings.js';
import type { TargetHouse } from './job-target.js';
import { isProcessGone, processOwner } from './process-owner.js';
import type { SpeakingHouse } from './spoken-place.js';

/** What jobs are run in. */
export type JobHouse = ReceivingHouse & TargetHouse & EventHouse & SpeakingHouse;

/** The jobs of a gateway. They can be looked at and changed before it runs any. */
export interface GatewayJobs extends JobBoard {
  /** Runs one now, beside its schedule; `done` resolves when it has run. */
  run(id: string): Promise<{ readonly job: Job; readonly done: Promise<void> }>;
  /** Makes the jobs of the configuration what it says, and runs jobs from now on. */
  start(): Promise<void>;
  /** Claims no more; those that run have `graceMs`. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

export interface GatewayJobsOptions {
  readonly store: JobStore;
  readonly settings: JobSettings;
  readonly log: Log;
  /** Asked when a job runs: the house is built around its jobs. */
  readonly house: () => JobHouse;
  readonly clock?: Clock;
}

export function openJobs({
  store,
  settings,
  log,
  house,
  clock = systemClock,
}: GatewayJobsOptions): GatewayJobs {
  const board = createJobBoard({ store, clock, createId: () => `job-${randomUUID().slice(0, 8)}` });
  const scheduler = createScheduler({
    store,
    clock,
    owner: processOwner,
    isOwnerGone: isProcessGone,
    missedRuns: settings.missedRuns,
    run: (occasion) => runJob(house(), occasion),
    onError: (error, sentence) => log.error({ err: error }, sentence),
    onChange({ id, state, lastStatus, lastError, nextFireAt }) {
      const facts = { job: id, state, status: lastStatus, error: lastError, nextFireAt };
      if (lastStatus === 'error' && state !== 'running') log.warn(facts, 'A job failed.');
      else log.debug(facts, 'A job changed.');
    },
  });

  /** The scheduler looks at once: what was changed may be due. */
  async function changing<Value>(change: Promise<Value>): Promise<Value> {
    const value = await change;
    scheduler.wake();
    return value;
  }

  return {
    ...board,
    create: (request: JobRequest, source: string) =>
      changing(board.create(inZone(request, settings.timeZone), source)),
    resume: (id) => changing(board.resume(id)),
    run: (id) => scheduler.runNow(id),
    async start() {
      const { added, changed, removed, refused } = await synchroniseJobs(store, settings.jobs, clock.now());
      if (added.length + changed.length + removed.length > 0) {
        log.info({ added, changed, removed }, 'The jobs are what the configuration says.');
      }
      for (const { id, reason } of refused) log.warn({ job: id, reason }, 'A configured job was not made.');
      if (settings.isEnabled) await scheduler.start();
    },
    stop: (options) => scheduler.stop(options),
  };
}

async function runJob(house: JobHouse, occasion: Occasion): Promise<RunResult> {
  const { task, job, runId } = occasion;
  switch (task.kind) {
    case 'internal_event':
      await runInternalEvent(house, task.payload.event);
      return { status: 'ok' };
    case 'outbound_message':
      await deliver(house, {
        target: task.target,
        content: task.payload.content,
        id: `job:${runId}`,
        meta: { origin: 'schedule', job_id: job.id },
      });
      return { status: 'ok' };
    case 'agent_task':
      return runAgentTask(house, task, occasion);
  }
}
