import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScheduler, type JobStore, systemClock } from '@x/scheduler';
import { jobStoreConformance } from '@x/scheduler/conformance';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../test/child.js';
import { tempFolder } from '../../test/folders.js';
import { openPicobot, picobotFile } from '../../test/picobot-file.js';
import { createJobStore, openSqliteFile, type SqliteFile } from '../index.js';

function inFile(sharing: boolean) {
  return {
    test: (name: string, body: () => Promise<void>) => it(name, body),
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'));
      const opened: SqliteFile[] = [];
      return {
        sharing,
        async open(): Promise<JobStore> {
          const file = await openSqliteFile({ file: sharing ? join(folder, 'jobs.db') : ':memory:' });
          opened.push(file);
          return createJobStore(file);
        },
        async dispose() {
          for (const file of opened) await file.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

describe('jobs in a SQLite file keep the contract', () => {
  jobStoreConformance(inFile(true));
});

describe('jobs in a SQLite database in memory keep the contract', () => {
  jobStoreConformance(inFile(false));
});

const noon = Date.parse('2026-02-25T07:00:00Z');
const frozen = { now: () => noon, sleep: systemClock.sleep };

it('goes on with the jobs of PicoBot, and leaves its columns meaning what they meant', async () => {
  const path = await picobotFile();
  const file = await openSqliteFile({ file: path });
  const store = createJobStore(file);
  const states = async () => Object.fromEntries((await store.list()).map(({ id, state }) => [id, state]));
  expect(await states()).toEqual({
    'j-delay': 'completed',
    'j-int': 'scheduled',
    'j-at': 'scheduled',
    'j-cron': 'paused',
    'j-running': 'running',
  });
  const ran: string[] = [];
  const scheduler = createScheduler({
    store,
    clock: frozen,
    owner: 'here',
    async run({ job: { id }, task }) {
      ran.push(`${id} ${task.kind}`);
      return { status: 'ok' };
    },
    timing: { tickMs: 5 },
  });
  await scheduler.start();
  await expect
    .poll(states, { timeout: 30_000 })
    .toMatchObject({ 'j-int': 'scheduled', 'j-running': 'scheduled' });
  await scheduler.stop();
  // A job found running has lost its process: it is scheduled again and says so.
  expect(await store.get('j-running')).toMatchObject({
    state: 'scheduled',
    lastStatus: 'error',
    lastError: expect.stringContaining('ended before the run did'),
    runCount: 6,
  });
  expect(ran).toEqual(['j-int internal_event']);
  expect(await store.get('j-int')).toMatchObject({ runCount: 13, lastStatus: 'ok' });
  await file.close();

  const picobot = openPicobot(path);
  const [row] = picobot.all("SELECT * FROM scheduler_jobs WHERE id = 'j-int'");
  expect(row).toMatchObject({
    schedule_json: '{"type":"interval","seconds":300}',
    interval_secs: 300,
    target_json: '{"channel":"feishu","chat_id":"oc_ab12"}',
    payload_json: '{"event":"session_cleanup"}',
    state: 'scheduled',
    last_status: 'ok',
    last_fired_at: noon,
    next_fire_at: noon + 200_000,
    created_at: 1_771_999_995_000,
  });
  picobot.close();
});

it('notices what PicoBot changes, and does not write over it', async () => {
  const path = await picobotFile();
  const file = await openSqliteFile({ file: path });
  const store = createJobStore(file);
  const seen = await store.get('j-int');
  if (seen === undefined) throw new Error('The job is missing.');
  const picobot = openPicobot(path);
  picobot.run("UPDATE scheduler_jobs SET state = 'paused', updated_at = updated_at + 1 WHERE id = 'j-int'");
  expect(await store.replace(seen, { ...seen, runCount: 99 })).toBeUndefined();
  // A row that PicoBot inserts is a whole row.
  picobot.run(
    `INSERT INTO scheduler_jobs(id, kind, schedule_json, target_json, payload_json, next_fire_at, created_at, updated_at)
     VALUES ('new', 'internal_event', 'no JSON', '[]', '{"event":"x"}', 5, 1, 1)`,
  );
  const [fresh] = await store.due(10, 10);
  expect(fresh).toMatchObject({ id: 'new', state: 'scheduled', enabled: true, failures: 0, revision: 0 });
  const stored = fresh && (await store.replace(fresh, { ...fresh, title: 'kept as it is' }));
  expect(stored).toMatchObject({ title: 'kept as it is', revision: 1 });
  expect(picobot.column("SELECT schedule_json || target_json FROM scheduler_jobs WHERE id = 'new'")).toEqual([
    'no JSON[]',
  ]);
  picobot.close();
  await file.close();
});

it('writes nothing to a file that is only read, and finds what is due by its index', async () => {
  const path = join(await tempFolder(), 'jobs.db');
  await (await openSqliteFile({ file: path })).close();
  const file = await openSqliteFile({ file: path, readOnly: true });
  await expect(createJobStore(file).remove('job')).rejects.toMatchObject({ code: 'Unsupported', path });
  await file.close();
  const database = openPicobot(path);
  const plan = JSON.stringify(
    database.all(
      "EXPLAIN QUERY PLAN SELECT * FROM scheduler_jobs WHERE state = 'scheduled' AND enabled = 1 AND next_fire_at IS NOT NULL AND next_fire_at <= 5 ORDER BY next_fire_at, id LIMIT 3",
    ),
  );
  expect(plan).toContain('USING INDEX scheduler_jobs_due');
  expect(plan).not.toContain('TEMP B-TREE');
  database.close();
});

it('three processes on one file run each due time of every job once', async () => {
  const path = join(await tempFolder(), 'jobs.db');
  await (await openSqliteFile({ file: path })).close();
  const children = [1, 2, 3].map((name) => startChild('job-worker.mjs', path, name, 8, 12));
  await Promise.all(children.map(({ ready }) => ready));
  for (const child of children) child.process.stdin.write('go\n');
  const told = await Promise.all(children.map((child) => child.told));
  const ran = told.flatMap((text): string[] => JSON.parse(text.trim().split('\n').at(-1) ?? '[]'));
  expect(new Set(ran).size).toBe(ran.length);

  const file = await openSqliteFile({ file: path });
  const jobs = await createJobStore(file).list();
  expect(jobs).toHaveLength(8);
  for (const job of jobs) {
    expect(job).toMatchObject({ state: 'completed', runCount: 12, lastStatus: 'ok', claim: undefined });
    expect(ran.filter((run) => run.startsWith(`${job.id}:`))).toHaveLength(12);
  }
  await file.close();
}, 180_000);
