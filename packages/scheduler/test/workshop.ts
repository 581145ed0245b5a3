import {
  createJobBoard,
  createMemoryJobStore,
  createScheduler,
  type Job,
  type JobBoard,
  type JobStore,
  type Occasion,
  parseJobRequest,
  type RunResult,
  type Scheduler,
  type SchedulerOptions,
} from '../src/index.js';
import { createFakeClock, type FakeClock } from './fake-clock.js';

export interface Workshop {
  readonly clock: FakeClock;
  readonly store: JobStore;
  readonly board: JobBoard;
  readonly scheduler: Scheduler;
  /** `<job> <due time>` of every run, in the order they began. */
  readonly ran: string[];
  readonly errors: string[];
  make(request: object): Promise<Job>;
}

export interface WorkshopOptions {
  readonly clock?: FakeClock;
  readonly store?: JobStore;
  readonly work?: (occasion: Occasion) => Promise<RunResult>;
}

let owners = 0;

/** A scheduler on a clock that is moved by hand, with what it has run. */
export function openWorkshop(
  {
    clock = createFakeClock('2026-03-10T12:00:00Z'),
    store = createMemoryJobStore(),
    work,
  }: WorkshopOptions = {},
  options: Partial<SchedulerOptions> = {},
): Workshop {
  const ran: string[] = [];
  const errors: string[] = [];
  let made = 0;
  owners += 1;
  const board = createJobBoard({
    store,
    clock,
    createId() {
      made += 1;
      return `job-${made}`;
    },
  });
  const scheduler = createScheduler({
    store,
    clock,
    owner: `process-${owners}`,
    onError: (error, sentence) => void errors.push(`${sentence} ${String(error)}`),
    async run(occasion) {
      ran.push(`${occasion.job.id} ${new Date(occasion.dueAt).toISOString()}`);
      return (await work?.(occasion)) ?? { status: 'ok' };
    },
    ...options,
  });
  return {
    clock,
    store,
    board,
    scheduler,
    ran,
    errors,
    make: (request) =>
      board.create(
        parseJobRequest({ kind: 'internal_event', payload: { event: 'tick' }, ...request }),
        'test',
      ),
  };
}
