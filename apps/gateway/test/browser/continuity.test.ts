import { expect, test } from 'vitest';
import { addSession, places, say, soon, useGateway, useStage } from './stage.js';

const stage = useStage();
const gateway = useGateway(async (backend) => {
  for (const [key, title] of [
    ['agent:main:a', 'Alpha'],
    ['agent:main:b', 'Beta'],
  ] as const) {
    await addSession(backend, key, { title, channel: 'web' }, [{ role: 'user', content: title }]);
  }
});
const { answers, composer, conversations, mine, stop, writing } = places;

test('a reload in mid-answer shows the message and that it is being answered, then the answer', async () => {
  const page = await stage.open(gateway.url);
  await say(page, '/slow 8 patience');
  await writing(page).waitFor();
  await page.waitForURL(/#\/s\//);
  await page.reload();
  await mine(page).getByText('/slow 8 patience').waitFor();
  await writing(page).waitFor();
  await stop(page).waitFor();
  await answers(page).getByText('the answer is complete').waitFor();
  await writing(page).waitFor({ state: 'detached' });
  expect(await mine(page).count()).toBe(1);
  expect(await answers(page).count()).toBe(1);
});

test('a reload right after sending loses nothing, even before the first confirmation', async () => {
  const page = await stage.open(gateway.url);
  await say(page, 'Do not lose me');
  await page.reload();
  await mine(page).getByText('Do not lose me').waitFor();
  await answers(page).getByText('You said: Do not lose me').waitFor();
  expect(await mine(page).count()).toBe(1);
  await expect.poll(() => conversations(page).filter({ hasText: 'Do not lose me' }).count(), soon).toBe(1);
});

test('a reload that overtakes the new address of a chat just begun opens that chat', async () => {
  const page = await stage.open(gateway.url);
  await say(page, 'Begun a moment ago');
  await page.waitForURL(/#\/s\//);
  await page.evaluate("history.replaceState(null, '', '#/new')");
  await page.reload();
  await mine(page).getByText('Begun a moment ago').waitFor();
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
});

test('two tabs on one session are both live and agree', async () => {
  const context = await stage.profile();
  const one = await context.newPage();
  await one.goto(gateway.url);
  await say(one, 'Hello from one');
  await answers(one).first().waitFor();
  const two = await context.newPage();
  await two.goto(one.url());
  await answers(two).getByText('You said: Hello from one').waitFor();

  await say(two, '/slow 5 both of us');
  await mine(one).getByText('/slow 5 both of us').waitFor();
  await writing(one).getByText('You asked').waitFor();
  await writing(two).getByText('You asked').waitFor();
  await answers(one).getByText('the answer is complete').waitFor();
  await answers(two).getByText('the answer is complete').waitFor();
  await say(one, 'and back');
  await answers(two).getByText('You said: and back').waitFor();
  await answers(one).getByText('You said: and back').waitFor();
  expect(await mine(two).allInnerTexts()).toEqual(await mine(one).allInnerTexts());
  expect(await mine(one).count()).toBe(3);
  expect(await answers(two).count()).toBe(3);
});

test('a session deleted in one tab leaves a new chat in the other, without an error', async () => {
  const context = await stage.profile();
  const one = await context.newPage();
  await one.goto(gateway.url);
  await say(one, 'Short-lived');
  await answers(one).first().waitFor();
  const two = await context.newPage();
  await two.goto(gateway.url);
  await mine(two).getByText('Short-lived').waitFor();
  await one.getByRole('button', { name: 'Conversation menu' }).click();
  await one.getByRole('menuitem', { name: 'Delete' }).click();
  await two.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
  const three = await context.newPage();
  await three.goto(one.url().replace(/#.*/, ''));
  await three.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
});

test('drafts are kept by session over a reload', async () => {
  const page = await stage.open(gateway.url);
  await composer(page).fill('for a new chat');
  await conversations(page).getByText('Alpha').click();
  await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await composer(page).fill('half a thought');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor();
  expect(await composer(page).inputValue()).toBe('half a thought');
  await page.getByRole('button', { name: 'New chat' }).click();
  expect(await composer(page).inputValue()).toBe('for a new chat');
});

test('an answer with tools looks the same live and after a reload', async () => {
  const page = await stage.open(gateway.url);
  await say(page, 'What time is it?');
  await answers(page).last().getByText('It is').waitFor();
  await page.locator('.fold-state').getByText('done').waitFor();
  await writing(page).waitFor({ state: 'detached' });
  const live = await page.locator('.row').allInnerTexts();
  await page.reload();
  await expect.poll(() => page.locator('.row').allInnerTexts(), soon).toEqual(live);
});

test('a message that could not be sent is sent again on request, once', async () => {
  const page = await stage.open(gateway.url);
  let broken = true;
  await page.route('**/api/chat', (route) => (broken ? route.abort() : route.continue()));
  await say(page, 'Through the storm');
  await page.getByText('Not sent').waitFor();
  broken = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await answers(page).getByText('You said: Through the storm').waitFor();
  expect(await mine(page).count()).toBe(1);
  expect(await page.getByText('Not sent').count()).toBe(0);
});

test('a failed answer says so, and the next message is answered', async () => {
  const page = await stage.open(gateway.url);
  await say(page, '/fail');
  await page.locator('.badge-failed').waitFor();
  await say(page, 'Again');
  await answers(page).getByText('You said: Again').waitFor();
  expect(await page.locator('.badge-failed').count()).toBe(1);
});

test('while one reads further up, an answer being written does not move the page', async () => {
  const page = await stage.open(gateway.url);
  for (const text of ['What can you do?', 'Who are you?', 'help']) {
    await say(page, text);
    await writing(page).waitFor({ state: 'detached' });
  }
  await say(page, '/slow 8 a long breath');
  await writing(page).getByText('You asked').waitFor();
  const newest = page.getByRole('button', { name: 'Jump to newest' });
  expect(await newest.count()).toBe(0);
  await places.messages(page).hover();
  await page.mouse.wheel(0, -300);
  await newest.waitFor();
  const top = await page.evaluate('document.querySelector(".message-scroller").scrollTop');
  await expect.poll(() => stop(page).count(), soon).toBe(0);
  expect(await page.evaluate('document.querySelector(".message-scroller").scrollTop')).toBe(top);
  await newest.click();
  await answers(page).getByText('the answer is complete').waitFor();
  await newest.waitFor({ state: 'detached' });
});

test('a reset is shown where it happened, and one still sees the newest', async () => {
  const page = await stage.open(gateway.url);
  await say(page, 'My favourite colour is ochre');
  await answers(page).getByText('ochre').waitFor();
  await page.getByRole('button', { name: 'Conversation menu' }).click();
  await page.getByRole('menuitem', { name: 'Reset' }).click();
  await page.getByText('Reset: the agent starts afresh').waitFor();
  await say(page, 'What did I say?');
  await answers(page).last().getByText('Nothing yet').waitFor();
  await page.getByText('The agent starts afresh here').waitFor();
  expect(await mine(page).count()).toBe(2);
  await page.reload();
  await page.getByText('The agent starts afresh here').waitFor();
  expect(await mine(page).count()).toBe(2);
});
