import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JobView } from '../src/jobs/job-view.js';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

async function jobs(folder: string): Promise<JobView[]> {
  const { stdout } = await holdfast(folder, ['jobs', 'list', '--json']);
  return JSON.parse(stdout);
}

async function running(folder: string) {
  const gateway = await startProgram(folder, { HOLDFAST_MODEL: 'offline' });
  onTestFinished(async () => void (await gateway.end()));
  return { gateway, client: clientOf(gateway.url) };
}

test('jobs are made, looked at, changed and run from the terminal, without a gateway', async () => {
  const folder = temporaryFolder();
  expect((await holdfast(folder, ['jobs', 'list', '--json'])).stdout).toBe('[]\n');
  const add = ['jobs', 'add', '--id', 'report', '--cron', '30 9 * * 1-5', '--time-zone', 'Europe/Berlin'];
  const made = await holdfast(folder, [
    ...add,
    '--prompt',
    'Summarise the day',
    '--session',
    'notes',
    '--json',
  ]);
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout)).toMatchObject({
    job: {
      id: 'report',
      kind: 'agent_task',
      state: 'scheduled',
      schedule: { type: 'cron', expression: '30 9 * * 1-5', time_zone: 'Europe/Berlin' },
      target: { session: 'notes' },
      source: 'cli',
      next_fire_at: expect.stringMatching(/T0[78]:30:00\.000Z$/),
    },
  });
  expect((await holdfast(folder, ['jobs', 'list'])).stdout).toMatch(
    /^ID +STATE +NEXT[^\n]*\nreport +scheduled /,
  );
  for (const [args, state] of [
    [['pause', 'report'], 'paused'],
    [['resume', 'report'], 'scheduled'],
    [['show', 'report'], 'scheduled'],
  ] as const) {
    const { code, stdout } = await holdfast(folder, ['jobs', ...args, '--json']);
    expect([args, code, JSON.parse(stdout).job.state]).toEqual([args, 0, state]);
  }
  const ran = await holdfast(folder, ['jobs', 'run', 'report', '--json'], {
    environment: { HOLDFAST_MODEL: 'offline' },
  });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(JSON.parse(ran.stdout).job).toMatchObject({ run_count: 1, last_status: 'ok', state: 'scheduled' });
  const { stdout } = await holdfast(folder, ['sessions', 'show', 'notes', '--json']);
  expect(JSON.parse(stdout).messages[0]).toMatchObject({ role: 'user', content: 'Summarise the day' });

  const gone = await holdfast(folder, ['jobs', 'delete', 'report', '--yes']);
  expect(gone).toMatchObject({ code: 0, stdout: '', stderr: 'Job report is gone.\n' });
  expect(await jobs(folder)).toEqual([]);
});

test('what is wrong is said: 2 for wrong use, 1 for what is not there', async () => {
  const folder = temporaryFolder();
  const what = ['--event', 'session_cleanup'];
  await holdfast(folder, ['jobs', 'add', '--id', 'there', '--in', '600', ...what]);
  for (const [args, code, words] of [
    [['add', ...what], 2, '--cron'],
    [['add', '--in', '5', '--every', '5', ...what], 2, '--every'],
    [['add', '--in', '5'], 2, '--prompt'],
    [['add', '--in', 'soon', ...what], 2, '--in'],
    [['add', '--cron', 'every day', ...what], 2, 'schedule.expression'],
    [['add', '--cron', '0 9 * * *', '--time-zone', 'Mars', ...what], 2, 'unknown time zone "Mars"'],
    [['add', '--in', '5', '--message', 'Hi'], 2, 'target'],
    [['add', '--at', '2001-01-01T00:00:00Z', ...what], 1, 'lies in the past'],
    [['add', '--in', '5', '--id', 'there', ...what], 1, 'there'],
    [['list', '--state', 'lost'], 2, '--state'],
    [['delete', 'there'], 2, '--yes'],
    [['show', 'nobody'], 1, 'no job "nobody"'],
    [['pause', 'nobody'], 1, 'no job "nobody"'],
    [['run', 'nobody'], 1, 'no job "nobody"'],
  ] as const) {
    const result = await holdfast(folder, ['jobs', ...args]);
    expect([args, result.code, result.stdout]).toEqual([args, code, '']);
    expect(result.stderr).toContain(words);
  }
  expect(await jobs(folder)).toHaveLength(1);
});

test('a gateway runs what is due, also what another process adds, and what its configuration names', async () => {
  const folder = temporaryFolder();
  const configure = (list: readonly object[]) =>
    writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ scheduler: { jobs: list } }));
  const cleaning = {
    id: 'clean',
    kind: 'internal_event',
    payload: { event: 'session_cleanup' },
    schedule: { type: 'interval', seconds: 1 },
  };
  configure([cleaning, { ...cleaning, id: 'other' }]);
  await holdfast(folder, [
    'jobs',
    'add',
    '--id',
    'tea',
    '--in',
    '0',
    '--message',
    'Tea!',
    '--session',
    'notes',
  ]);
  const { gateway, client } = await running(folder);
  await expect
    .poll(() => jobs(folder), { timeout: 30_000 })
    .toMatchObject([
      { id: 'tea', state: 'completed', last_status: 'ok', source: 'cli' },
      { id: 'clean', state: 'scheduled', last_status: 'ok', source: 'configuration' },
      { id: 'other' },
    ]);
  const [said] = await client.messages('notes');
  expect(said).toMatchObject({ role: 'assistant', content: 'Tea!' });
  const { code, stdout } = await holdfast(folder, ['jobs', 'run', 'tea', '--json']);
  expect([code, JSON.parse(stdout).job.id]).toEqual([0, 'tea']);
  await expect.poll(async () => (await client.messages('notes')).length, { timeout: 30_000 }).toBe(2);
  await holdfast(folder, ['jobs', 'pause', 'clean']);
  expect(await gateway.end()).toBe(0);

  // Another configuration: what it names no longer is gone, what is paused stays so, what others made is not touched.
  configure([{ ...cleaning, schedule: { type: 'interval', seconds: 2 } }]);
  const again = await running(folder);
  expect(await jobs(folder)).toMatchObject([
    { id: 'tea', source: 'cli' },
    { id: 'clean', state: 'paused', schedule: { type: 'interval', seconds: 2 } },
  ]);
  expect(await again.gateway.end()).toBe(0);
});

test('a job whose gateway was killed is put back by the next, which says so and takes it up where it was', async () => {
  const folder = temporaryFolder();
  const { gateway, client } = await running(folder);
  const prompt = ['--prompt', '/slow 5 a long report', '--session', 'notes'];
  await holdfast(folder, ['jobs', 'add', '--id', 'long', '--in', '0', ...prompt]);
  await expect
    .poll(() => jobs(folder), { timeout: 30_000 })
    .toMatchObject([{ id: 'long', state: 'running' }]);
  await expect.poll(async () => (await client.messages('notes')).length, { timeout: 30_000 }).toBe(1);
  await gateway.end('SIGKILL');

  const again = await running(folder);
  expect(await jobs(folder)).toMatchObject([
    {
      id: 'long',
      state: 'scheduled',
      last_status: 'error',
      last_error: expect.stringContaining('ended before the run did'),
      run_count: 1,
      running_in: null,
      next_fire_at: expect.any(String),
    },
  ]);
  // Its rest can be cut short; the prompt is there already and is not said again.
  await holdfast(folder, ['jobs', 'run', 'long']);
  await expect
    .poll(() => jobs(folder), { timeout: 60_000, interval: 500 })
    .toMatchObject([{ state: 'completed', last_status: 'ok', run_count: 2 }]);
  const said = await again.client.messages('notes');
  expect(said.filter(({ role }) => role === 'user')).toHaveLength(1);
  expect(said.at(-1)).toMatchObject({ role: 'assistant', content: expect.stringContaining('a long report') });
});

test('two gateways on one database run each due time once', async () => {
  const folder = temporaryFolder();
  const reminder = {
    id: 'tick',
    kind: 'outbound_message',
    payload: { content: 'Tick' },
    target: { session: 'notes' },
    schedule: { type: 'interval', seconds: 1 },
    max_runs: 6,
  };
  writeFileSync(
    join(folder, 'holdfast.config.json'),
    JSON.stringify({ store: 'sqlite', scheduler: { jobs: [reminder] } }),
  );
  const gateways = await Promise.all([running(folder), running(folder)]);
  await expect
    .poll(() => jobs(folder), { timeout: 60_000, interval: 500 })
    .toMatchObject([{ state: 'completed', run_count: 6, last_status: 'ok' }]);
  const said = await gateways[0].client.messages('notes');
  expect(said.map(({ content }) => content)).toEqual(Array(6).fill('Tick'));
});
