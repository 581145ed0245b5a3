import { join } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';
import type { Message, SessionBackend, SessionFacts } from '@x/session-store';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from './chromium.js';
import { type GatewayProcess, startGateway, temporaryFolder } from './gateway-process.js';

/** A browser before a gateway: what every browser test plays on. All of it is put away after each test. */
export interface Stage {
  /** A fresh data folder. */
  data(): string;
  start(data: string, environment?: Readonly<Record<string, string>>): Promise<GatewayProcess>;
  /** A browser profile of its own. It fails the test when its pages log an error or speak to another origin. */
  profile(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page of a fresh profile, opened at the address. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
}

export function useStage(): Stage {
  let browser: Browser | undefined;
  const tidying: (() => unknown)[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const tidy of tidying.splice(0).reverse()) await tidy();
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const stage: Stage = {
    data() {
      const folder = temporaryFolder();
      tidying.push(() => folder[Symbol.dispose]());
      return folder.path;
    },
    async start(data, environment = {}) {
      const gateway = await startGateway(data, environment);
      tidying.push(() => gateway.kill());
      return gateway;
    },
    async profile(options = {}) {
      if (!browser) throw new Error('The browser has not been started.');
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      tidying.push(() => context.close());
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('console', (message) => {
        // A gateway that is down, or a session that is gone, is reported as a failed load: that is the network's word.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          complaints.push(message.text());
        }
      });
      context.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (protocol !== 'data:' && hostname !== '127.0.0.1') complaints.push(`request to ${request.url()}`);
      });
      return context;
    },
    async open(address, options = {}) {
      const page = await (await stage.profile(options)).newPage();
      await page.goto(address);
      return page;
    },
  };
  return stage;
}

/** One gateway for all tests of a file, over a data folder that `write` has filled. */
export function useGateway(
  write?: (backend: SessionBackend) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): { readonly url: string } {
  const folder = temporaryFolder();
  let gateway: GatewayProcess | undefined;
  beforeAll(async () => {
    if (write) await fill(folder.path, write);
    gateway = await startGateway(folder.path, environment);
  });
  afterAll(async () => {
    await gateway?.kill();
    folder[Symbol.dispose]();
  });
  return {
    get url() {
      if (!gateway) throw new Error('The gateway has not been started.');
      return gateway.url;
    },
  };
}

/** Fills a data folder before its gateway starts. */
async function fill(data: string, write: (backend: SessionBackend) => Promise<void>): Promise<void> {
  const backend = await createJsonlBackend({ directory: join(data, 'sessions') });
  try {
    await write(backend);
  } finally {
    await backend.close();
  }
}

export async function addSession(
  backend: SessionBackend,
  key: string,
  facts: SessionFacts,
  messages: readonly Message[],
): Promise<void> {
  await backend.ensure(key, facts);
  await backend.append(key, messages);
}

/** How long to look for what must come: a busy machine takes its time, and nothing here measures it. */
export const soon = { timeout: 30_000, interval: 30 };

/** The places of the page by the names that people, and screen readers, know them by. */
export const places = {
  composer: (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true }),
  messages: (page: Page) => page.getByRole('region', { name: 'Messages' }),
  mine: (page: Page) => page.locator('.message-user .bubble'),
  answers: (page: Page) => page.locator('.message-assistant:not(.message-live)'),
  writing: (page: Page) => page.getByRole('article', { name: 'Answer being written' }),
  stop: (page: Page) => page.getByRole('button', { name: 'Stop the answer' }),
  conversations: (page: Page) => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link'),
};

export async function say(page: Page, text: string): Promise<void> {
  await places.composer(page).fill(text);
  await page.keyboard.press('Enter');
}
