import { expect, test } from 'vitest';
import { places, soon, useStage } from './stage.js';

const stage = useStage();

test('the whole way by keyboard: send, new chat, stop, switch, find, rename, delete and undo', async () => {
  const gateway = await stage.start(stage.data());
  const page = await stage.open(gateway.url);
  const { keyboard } = page;
  const { answers, writing, composer, conversations, mine } = places;
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  await expect.poll(() => focusedName(page), soon).toBe('composer');
  await keyboard.type('First line');
  await keyboard.press('Shift+Enter');
  await keyboard.type('second line');
  await keyboard.press('Enter');
  await answers(page).first().getByText('You said: First line second line').waitFor();
  expect(await mine(page).textContent()).toBe('First line\nsecond line');
  await heading('First line');

  await keyboard.press('Alt+n');
  await heading('New chat');
  await keyboard.type('/slow 20 walk');
  await keyboard.press('Enter');
  await writing(page).getByText('You asked').waitFor();
  await keyboard.press('Escape');
  await page.getByText('Stopped on request').waitFor();
  await expect.poll(() => conversations(page).count(), soon).toBe(2);

  await keyboard.press('Alt+ArrowDown');
  await heading('First line');
  await keyboard.press('Alt+ArrowUp');
  await heading('/slow 20 walk');

  await keyboard.press('Control+k');
  await expect.poll(() => focusedName(page), soon).toBe('session-filter');
  await keyboard.type('first');
  await expect.poll(() => conversations(page).count(), soon).toBe(1);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await heading('First line');
  await keyboard.press('Control+k');
  await expect.poll(() => focusedName(page), soon).toBe('session-filter');
  await keyboard.press('Escape');
  await expect.poll(() => conversations(page).count(), soon).toBe(2);

  await page.getByRole('button', { name: 'Conversation menu' }).focus();
  await keyboard.press('Enter');
  await keyboard.press('Enter');
  await keyboard.type('Tea with Ada');
  await keyboard.press('Enter');
  await heading('Tea with Ada');

  await page.getByRole('button', { name: 'Conversation menu' }).focus();
  await keyboard.press('Enter');
  await keyboard.press('End');
  await keyboard.press('Enter');
  await heading('New chat');
  await expect.poll(() => conversations(page).count(), soon).toBe(1);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await keyboard.press('Enter');
  await heading('Tea with Ada');
  await answers(page).first().getByText('You said: First line second line').waitFor();

  await page.getByRole('region', { name: 'Messages' }).focus();
  await keyboard.type('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await composer(page).focus();
  await keyboard.type('What?');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

const focusedName = (page: import('playwright-core').Page) => page.evaluate('document.activeElement.id');
