import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';
import { expect, it, onTestFinished } from 'vitest';
import { maintainGateway } from '../src/maintenance/maintain-gateway.js';
import { storeBytes } from '../src/maintenance/store-size.js';
import { receive } from '../src/receive.js';
import { surfaceContext } from '../src/surface-context.js';
import { clientOf } from './support/client.js';
import { gatewayHere } from './support/gateway-here.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const DAY = 86_400_000;
const limits = { prune_after_days: 30, max_sessions: 1 };

it.each(['jsonl', 'sqlite'])(
  'over %s the oldest go into the bin, pinned and working ones stay, and it is told',
  async (store) => {
    const here = await gatewayHere({
      store,
      session: { maintenance: { mode: 'enforce', ...limits, purge_after_days: 10 } },
    });
    for (const session of ['a', 'b', 'c', 'd']) await here.say('hello', { session });
    const pinned = await here.request('/api/sessions/a/pin', { method: 'POST' });
    expect(pinned.status).toBe(200);
    const working = await receive(here.gateway, {
      context: surfaceContext('web'),
      text: '/slow 60',
      session: 'b',
    });
    await working.accepted;
    const trial = await maintainGateway(here.gateway, { enforce: false });
    expect(trial).toMatchObject({
      enforced: false,
      before: 4,
      after: 2,
      steps: [
        { action: 'delete', reason: 'count', title: 'c', done: false },
        { action: 'delete', reason: 'count', title: 'd', done: false },
      ],
    });
    expect(trial.spared.map(({ title, reason }) => [title, reason])).toEqual([
      ['a', 'pinned'],
      ['b', 'running'],
    ]);

    const told: string[] = [];
    here.gateway.feed.subscribe({ tell: ({ name }) => void told.push(name), end: () => {} });
    const report = await maintainGateway(here.gateway);
    expect(report).toMatchObject({
      enforced: true,
      before: 4,
      after: 2,
      steps: [{ done: true }, { done: true }],
    });
    expect(told).toContain('session_deleted');
    expect((await maintainGateway(here.gateway)).steps).toEqual([]);
    working.stop('The test has seen enough.');
    await working.outcome;

    here.aheadMs = 31 * DAY;
    await here.request('/api/sessions/a/unpin', { method: 'POST' });
    const { steps, after } = await maintainGateway(here.gateway);
    expect(steps.map(({ action, reason, title }) => [action, reason, title])).toEqual([
      ['delete', 'age', 'a'],
      ['delete', 'age', 'b'],
      ['purge', 'retention', 'c'],
      ['purge', 'retention', 'd'],
    ]);
    expect(after).toBe(0);
  },
);

it('a store is measured by what its sessions take', async () => {
  for (const store of ['jsonl', 'sqlite']) {
    const here = await gatewayHere({ store });
    const { backend, layout } = here.gateway;
    const before = await storeBytes(layout.store);
    await backend.ensure('large');
    await backend.append('large', [{ role: 'user', content: 'much '.repeat(100_000) }]);
    const full = await storeBytes(layout.store);
    // A database may have its newest pages in the journal beside it.
    if (store === 'jsonl') expect(full - before).toBeGreaterThan(500_000);
    await backend.delete('large');
    await backend.purge('large');
    expect(await storeBytes(layout.store)).toBeLessThan(before + 100_000);
  }
});

/** A data folder with sessions of these titles, the first the oldest, of which at most two are to be kept. */
async function folderWith(...titles: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'holdfast.config.json'),
    JSON.stringify({ session: { maintenance: { max_sessions: 2 } } }),
  );
  const backend = await createJsonlBackend({ directory: join(folder, 'data/sessions') });
  for (const title of titles) {
    await backend.ensure(title, { title });
    await backend.append(title, [{ role: 'user', content: 'hello' }]);
  }
  await backend.close();
  return folder;
}

it('the command line says what it would do, and does it when it is told to', async () => {
  const folder = await folderWith('a', 'b', 'c');
  const maintain = (...args: string[]) => holdfast(folder, ['sessions', 'maintain', ...args]);
  const trial = await maintain('--dry-run', '--json');
  expect([trial.code, trial.stderr]).toEqual([0, '']);
  expect(JSON.parse(trial.stdout)).toMatchObject({ enforced: false, before: 3, after: 2 });
  // The configuration only warns.
  expect((await maintain()).stdout).toMatch(
    /more than max_sessions[\s\S]*Nothing was changed; --enforce does it/,
  );
  expect((await maintain('--dry-run', '--enforce')).code).toBe(2);
  expect(JSON.parse((await maintain('--enforce', '--json')).stdout)).toMatchObject({
    enforced: true,
    after: 2,
    steps: [{ title: 'a', done: true }],
  });
});

it('the gateway that runs does it, and what is pinned stays', async () => {
  const folder = await folderWith('a', 'b', 'c');
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  expect((await holdfast(folder, ['sessions', 'pin', 'a'])).code).toBe(0);
  const { stdout } = await holdfast(folder, ['sessions', 'maintain', '--enforce']);
  expect(stdout).toMatch(/into the bin[\s\S]*Stays: a \(pinned\)[\s\S]*2 now/);
  const { sessions } = await clientOf(gateway.url).get('/api/sessions');
  expect(sessions.map(({ title }) => title)).toEqual(['c', 'a']);
});
