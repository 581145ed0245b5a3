import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addSession, places, say, useGateway, useStage } from './stage.js';

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=2</script>',
  '[click](javascript:window.hacked=3)',
  '<a href="javascript:window.hacked=4">raw</a>',
  '<svg onload="window.hacked=5"><circle/></svg>',
  '<iframe srcdoc="<script>parent.hacked=6</script>"></iframe>',
  '<form action="https://elsewhere.example/"><button>send</button></form>',
  '<style>body{display:none}</style>',
  '<div style="position:fixed;inset:0" class="dialog" id="root">over all</div>',
  '![tracker](https://elsewhere.example/pixel.png)',
  '<details open ontoggle="window.hacked=7"><summary>s</summary></details>',
  '<math><mtext></table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=8&gt;">',
  '[fine](https://example.com/page)',
];

const stage = useStage();
const gateway = useGateway(async (backend) => {
  await addSession(backend, 'agent:main:hostile', { title: 'Hostile', channel: 'web' }, [
    { role: 'user', content: hostile.join('\n') },
    { role: 'assistant', content: hostile.join('\n\n') },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c1', name: '<b onclick="window.hacked=9">tool</b>', arguments: '{"a":"<script>"}' }],
    },
    { role: 'tool', content: '<img src=x onerror="window.hacked=10">', toolCallId: 'c1' },
  ]);
  for (const channel of ['telegram', 'slack', 'web']) {
    await addSession(backend, `agent:main:${channel}:direct:1`, { title: `On ${channel}`, channel }, [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi', meta: { status: 'interrupted' } },
    ]);
  }
});

test('what a message contains is inert, and nothing leaves the origin', async () => {
  const page = await stage.open(`${gateway.url}/#/s/agent:main:hostile`);
  const answer = places.answers(page).first();
  await answer.getByRole('link', { name: 'fine' }).waitFor();
  await page.locator('.fold summary').last().click();

  for (const link of await answer.getByRole('link').all()) {
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('href')).toMatch(/^https:/);
  }
  const forbidden =
    '.prose :is(script, style, iframe, form, svg, math, object, embed, img, [style], [id], .dialog)';
  expect(await page.locator(forbidden).count()).toBe(0);
  expect(await handlers(page)).toEqual([]);
  // What is not allowed is not dropped either: one reads what was written.
  expect(await answer.textContent()).toContain('<script>window.hacked=2</script>');
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await places.mine(page).first().textContent()).toContain('<img src=x onerror="window.hacked=1">');
});

/** Every attribute on the page that would run script. */
const handlers = (page: Page) =>
  page.evaluate(
    '[...document.querySelectorAll("*")].flatMap(({attributes}) => [...attributes].filter(({name}) => name.startsWith("on")).map(({name}) => name))',
  );

test('the page comes with a policy that bars what is not its own', async () => {
  const response = await fetch(gateway.url);
  const policy = response.headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'self'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]) {
    expect(policy).toContain(rule);
  }
  const html = await response.text();
  expect(html).not.toMatch(/<script>|<style|style=|https?:\/\//);
});

test('a gateway with a token asks for it, once a tab', async () => {
  const guarded = await stage.start(stage.data(), { HOLDFAST_TOKEN: 'open sesame' });
  const page = await stage.open(guarded.url);
  const field = page.getByRole('dialog').getByLabel('Token');
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.waitForLoadState();
  await field.fill('open sesame');
  await page.keyboard.press('Enter');
  await say(page, 'Hello behind the door');
  await places.answers(page).getByText('Hello behind the door').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.reload();
  await places.answers(page).getByText('Hello behind the door').waitFor();
});

describe('axe finds nothing serious', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const looks = [
    { name: 'light', options: { colorScheme: 'light' } },
    { name: 'dark', options: { colorScheme: 'dark' } },
    { name: 'narrow', options: { colorScheme: 'light', viewport: { width: 360, height: 720 } } },
  ] as const;

  async function violations(page: Page): Promise<unknown> {
    await page.evaluate(axe);
    return page.evaluate(`axe.run(document).then(({violations}) => violations
      .filter(({impact}) => impact === 'serious' || impact === 'critical')
      .map(({id, nodes}) => ({id, nodes: nodes.map(({html, failureSummary}) => [html, failureSummary])})))`);
  }

  for (const { name, options } of looks) {
    test(name, async () => {
      const page = await stage.open(gateway.url, options);
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor();
      expect(await violations(page)).toEqual([]);

      await say(page, 'What can you do?');
      await places.answers(page).last().getByText('offline').first().waitFor();
      await say(page, 'what time is it?');
      await page.locator('.fold summary').first().click();
      await say(page, '/fail');
      await page.locator('.badge-failed, .note-failed').first().waitFor();
      expect(await violations(page)).toEqual([]);

      if (name === 'narrow') await page.getByRole('button', { name: 'Conversations' }).click();
      await places.conversations(page).first().waitFor();
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      if (name === 'narrow') {
        expect(await violations(page)).toEqual([]);
        await page.keyboard.press('Escape');
      }
      await page.getByRole('button', { name: 'Conversation menu' }).click();
      expect(await violations(page)).toEqual([]);
    });
  }
});
