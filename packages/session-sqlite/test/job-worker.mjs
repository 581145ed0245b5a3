// Runs jobs of a shared file until all are completed: node job-worker.mjs FILE NAME JOBS RUNS
// Waits for a line on standard input, so that several begin together; tells the runs it did when it is done.
import { once } from 'node:events';
import { createScheduler, synchroniseJobs, systemClock } from '@x/scheduler';
import { createJobStore, openSqliteFile } from '@x/session-sqlite';

const [path, name, jobs, runs] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

// A clock that runs a hundred times as fast, the same in every process: an interval of a second passes in 10 ms.
const clock = {
  now: () => Date.now() * 100,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms / 100, 20), signal),
};
const file = await openSqliteFile({ file: path, synchronous: 'normal', busyTimeoutMs: 60_000 });
const store = createJobStore(file);
const requests = Array.from({ length: Number(jobs) }, (_, index) => ({
  id: `job-${index}`,
  kind: 'internal_event',
  payload: { event: 'tick' },
  schedule: { type: 'interval', seconds: 1 },
  max_runs: Number(runs),
}));
await synchroniseJobs(store, requests, clock.now());
const ran = [];
const failures = [];
const scheduler = createScheduler({
  store,
  clock,
  owner: `process ${name}`,
  onError: (error, sentence) => failures.push(`${sentence} ${error}`),
  async run({ runId }) {
    ran.push(runId);
    return { status: 'ok' };
  },
  // As long as it takes: nobody dies here, and a busy machine is no reason to take a job over.
  timing: { tickMs: 2000, leaseMs: 3_600_000 },
});
await scheduler.start();
while ((await store.list()).some(({ state }) => state !== 'completed')) {
  await systemClock.sleep(20, new AbortController().signal);
}
await scheduler.stop();
await file.close();
if (failures.length > 0) throw new Error(failures.join('\n'));
process.stdout.write(`${JSON.stringify(ran)}\n`);
