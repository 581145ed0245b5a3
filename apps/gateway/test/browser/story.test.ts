import { expect, test } from 'vitest';
import { places, say, soon, useStage } from './stage.js';

const stage = useStage();

test('everything said is still there after the gateway was killed in mid-answer', async () => {
  const data = stage.data();
  const first = await stage.start(data);
  const page = await stage.open(first.url);
  const { mine, answers, writing, composer, conversations } = places;

  await say(page, 'Good morning, Holdfast');
  await answers(page).first().getByText('Good morning, Holdfast').waitFor();
  const address = page.url();
  expect(address).toMatch(/#\/s\/sk_v1_/);

  await say(page, '/slow 20 the long way round');
  await writing(page).getByText('You asked').waitFor();
  await first.kill();
  await page.getByText('Connection lost').waitFor();
  await composer(page).fill('kept while away');

  const second = await stage.start(data, { HOLDFAST_PORT: String(first.port) });
  expect(second.url).toBe(first.url);
  await page.getByText('Connected again').waitFor();
  await page.getByText('Interrupted', { exact: false }).first().waitFor();
  await writing(page).waitFor({ state: 'detached' });
  expect(page.url()).toBe(address);
  expect(await composer(page).inputValue()).toBe('kept while away');
  expect(await mine(page).allInnerTexts()).toEqual(['Good morning, Holdfast', '/slow 20 the long way round']);

  await say(page, 'And now?');
  await page.locator('.message-assistant').getByText('You said: And now?').waitFor();
  expect(await mine(page).allInnerTexts()).toEqual([
    'Good morning, Holdfast',
    '/slow 20 the long way round',
    'And now?',
  ]);

  await writing(page).waitFor({ state: 'detached' });
  const before = await page.locator('.row').allInnerTexts();
  await page.reload();
  await expect.poll(() => page.locator('.row').allInnerTexts(), soon).toEqual(before);
  await conversations(page).first().getByText('Good morning, Holdfast').waitFor();
});
