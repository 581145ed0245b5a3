import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { places, say, soon, useStage } from './stage.js';

const fixture = join(import.meta.dirname, '../../../../packages/memory-jsonl/test/fixtures/picoclaw');
const expected: { sessions: { key: string; total: number; last: string }[] } = JSON.parse(
  readFileSync(join(fixture, 'expected.json'), 'utf8'),
);

const stage = useStage();

test('a PicoClaw folder shows its sessions and goes on from there', async () => {
  const data = stage.data();
  cpSync(fixture, data, { recursive: true });
  const gateway = await stage.start(data);
  const page = await stage.open(gateway.url);
  const { answers, conversations, mine } = places;
  await expect.poll(() => conversations(page).count(), soon).toBe(expected.sessions.length);

  const group = expected.sessions.find(({ last }) => last.startsWith('A stand-up at nine'));
  await page.goto(`${gateway.url}/#/s/${group?.key}`);
  await answers(page).getByText('A stand-up at nine').waitFor();
  await page.getByText('The agent starts afresh here').waitFor();

  await say(page, 'And at ten?');
  await answers(page).getByText('And at ten?').waitFor();
  await page.reload();
  await mine(page).getByText('And at ten?').waitFor();
  await answers(page).getByText('A stand-up at nine').waitFor();
});
