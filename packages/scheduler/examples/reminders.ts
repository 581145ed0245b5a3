import {
  createJobBoard,
  createMemoryJobStore,
  createScheduler,
  parseJobRequest,
  systemClock,
} from '@x/scheduler';

const store = createMemoryJobStore();
const clock = systemClock;
const jobs = createJobBoard({ store, clock, createId: () => crypto.randomUUID() });
const scheduler = createScheduler({
  store,
  clock,
  owner: `example/${process.pid}`,
  async run({ task, job }) {
    if (task.kind === 'outbound_message') console.log(`${job.id}: ${task.payload.content}`);
    return { status: 'ok' };
  },
});

const tea = parseJobRequest({
  id: 'tea',
  kind: 'outbound_message',
  schedule: { type: 'cron', expression: '0 16 * * *', time_zone: 'Europe/Berlin' },
  target: { channel: 'telegram', chat_id: '7' },
  payload: { content: 'Tea!' },
});
await jobs.create(tea, 'example');
await scheduler.start();

// Not before four o'clock, but for this once by hand.
const { done } = await scheduler.runNow('tea');
await done;
const { state, lastStatus, runCount } = await jobs.get('tea');
console.log(`${state}, ${lastStatus}, runs: ${runCount}`);
await scheduler.stop();
