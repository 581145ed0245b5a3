import type { Message } from '@x/session-store';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addSession, places, soon, useGateway, useStage } from './stage.js';

const count = 10_000;
const day = Date.parse('2026-01-01T08:00:00.000Z');

function longHistory(): Message[] {
  return Array.from({ length: count }, (_, at) => {
    const number = at + 1;
    const more =
      number % 7 === 0 ? `\n\n- first\n- second\n\n\`\`\`js\nconst number = ${number};\n\`\`\`` : '';
    return {
      role: number % 2 === 1 ? 'user' : 'assistant',
      content: `Message number ${number}.${more}`,
      createdAt: new Date(day + at * 30_000).toISOString(),
    };
  });
}

const stage = useStage();
const gateway = useGateway((backend) =>
  addSession(backend, 'agent:main:long', { title: 'Long', channel: 'web' }, longHistory()),
);

/** The numbers of the messages drawn, in the order of the page. */
async function drawnNumbers(page: Page): Promise<number[]> {
  const texts = await page.locator('.row').allInnerTexts();
  return texts.flatMap((text) => {
    const number = /Message number (\d+)\./.exec(text)?.[1];
    return number === undefined ? [] : Number(number);
  });
}

test('ten thousand messages open at the newest and scroll back without gaps or doubles', async () => {
  const asked: string[] = [];
  const context = await stage.profile();
  const page = await context.newPage();
  page.on('request', (request) => {
    if (request.url().includes('/messages?')) asked.push(request.url());
  });
  await page.goto(`${gateway.url}/#/s/agent:main:long`);
  await places.messages(page).getByText(`Message number ${count}.`).waitFor();
  await expect.poll(() => isAtEnd(page), soon).toBe(true);
  // The newest page, once more when the live line is open, and at most the page before.
  expect(asked.length).toBeLessThanOrEqual(3);
  expect(asked.every((url) => url.includes('limit=50'))).toBe(true);
  expect(await page.locator('.row').count()).toBeLessThan(100);

  const seen = new Set<number>(await drawnNumbers(page));
  await places.messages(page).hover();
  let most = 0;
  while (Math.min(...seen) > count - 160) {
    await page.mouse.wheel(0, -350);
    await expect.poll(async () => isSettled(page), soon).toBe(true);
    const drawn = await drawnNumbers(page);
    expect(drawn).toEqual(drawn.map((_, at) => (drawn[0] ?? 0) + at));
    most = Math.max(most, await page.locator('.row').count());
    for (const number of drawn) seen.add(number);
  }
  expect(most).toBeLessThan(100);
  const oldest = Math.min(...seen);
  expect([...seen].sort((one, other) => one - other)).toEqual(
    Array.from({ length: count - oldest + 1 }, (_, at) => oldest + at),
  );

  await page.getByRole('button', { name: 'Jump to newest' }).click();
  await places.messages(page).getByText(`Message number ${count}.`).waitFor();
  await expect.poll(() => isAtEnd(page), soon).toBe(true);
});

test('older messages that arrive do not move what is being read', async () => {
  const context = await stage.profile();
  const page = await context.newPage();
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/messages\?.*before=/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${gateway.url}/#/s/agent:main:long`);
  await places.messages(page).getByText(`Message number ${count}.`).waitFor();
  await page.evaluate('document.querySelector(".message-scroller").scrollTop = 300');
  await page.getByText('Loading earlier messages').waitFor();
  await expect.poll(() => isSettled(page), soon).toBe(true);
  const read = await topmost(page);
  letGo();
  await page.getByText('Loading earlier messages').waitFor({ state: 'detached' });
  await expect.poll(() => isSettled(page), soon).toBe(true);
  const after = await placeOf(page, read.number);
  expect(Math.abs(after - read.top)).toBeLessThanOrEqual(2);
});

const isAtEnd = (page: Page) =>
  page.evaluate<boolean>(
    '(({scrollTop, clientHeight, scrollHeight}) => scrollHeight - scrollTop - clientHeight < 48)(document.querySelector(".message-scroller"))',
  );

/** True once two frames in a row show the same and no older page is on its way. */
const isSettled = (page: Page) =>
  page.evaluate<boolean>(`new Promise((resolve) => {
    const look = () => {
      const {scrollTop, scrollHeight} = document.querySelector(".message-scroller");
      return [scrollTop, scrollHeight, document.querySelector(".message-window").innerText].join();
    };
    requestAnimationFrame(() => {
      const before = look();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(before === look())));
    });
  })`);

/** The first message wholly in view, with its distance from the top of the window. */
const topmost = (page: Page) =>
  page.evaluate<{ number: number; top: number }>(`(() => {
    const edge = document.querySelector(".message-scroller").getBoundingClientRect().top;
    for (const row of document.querySelectorAll(".row")) {
      const top = row.getBoundingClientRect().top;
      const number = /Message number (\\d+)\\./.exec(row.innerText)?.[1];
      if (top >= edge && number) return {number: Number(number), top};
    }
  })()`);

const placeOf = (page: Page, number: number) =>
  page.evaluate<number>(`(() => {
    for (const row of document.querySelectorAll(".row")) {
      if (row.innerText.includes("Message number ${number}.")) return row.getBoundingClientRect().top;
    }
    return -1e9;
  })()`);
