import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addSession, places, soon, useGateway, useStage } from './stage.js';

const total = 120;
const stage = useStage();
const gateway = useGateway(async (backend) => {
  for (let number = 1; number <= total; number += 1) {
    const facts = { title: `Talk ${number}`, channel: 'telegram' };
    await addSession(backend, `agent:main:telegram:direct:${number}`, facts, [
      { role: 'user', content: 'Hello' },
    ]);
  }
});
const { answers, conversations } = places;

test('the list takes in more sessions as one scrolls, and shows other channels live', async () => {
  const page = await stage.open(gateway.url);
  await conversations(page).first().waitFor();
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      for (const title of await scrollOn(page)) seen.add(title);
      return seen.size;
    }, soon)
    .toBe(total);
  expect(await conversations(page).count()).toBeLessThan(60);

  const response = await fetch(`${gateway.url}/api/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      context: { channel: 'slack', chat_type: 'direct', chat_id: 'D1', sender_id: 'U1' },
      text: 'Hello from Slack',
    }),
  });
  expect(response.status).toBe(200);
  await page.getByRole('combobox', { name: 'Channel' }).selectOption('slack');
  await expect.poll(() => conversations(page).count(), soon).toBe(1);
  await conversations(page).first().click();
  await answers(page).getByText('You said: Hello from Slack').waitFor();
});

/** The titles drawn, after scrolling by a little less than what is in view. */
const scrollOn = (page: Page) =>
  page.evaluate<string[]>(`new Promise((resolve) => {
    document.querySelector(".session-scroller").scrollTop += 300;
    requestAnimationFrame(() => requestAnimationFrame(() =>
      resolve([...document.querySelectorAll(".session-title")].map(({textContent}) => textContent))));
  })`);
