import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { failure, fakeTelegram } from './fake-telegram.js';

async function stage(channel: object = {}) {
  const folder = temporaryFolder();
  const telegram = await fakeTelegram();
  const settings = { kind: 'telegram', token_env: 'BOT', api_root: telegram.url, direct: 'open', ...channel };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ channels: { telegram: settings } }));
  const begin = async () => {
    const gateway = await startProgram(folder, { BOT: telegram.token });
    onTestFinished(async () => void (await gateway.end('SIGKILL')));
    return gateway;
  };
  return { folder, telegram, begin };
}

test('a conversation on Telegram: remembered, in order, private chats apart', async () => {
  const { telegram, begin } = await stage({ stream: false });
  await begin();
  telegram.say(7, 'one');
  telegram.say(7, 'what did I say?');
  telegram.say(8, 'what did I say?');
  await expect.poll(() => telegram.heard(7).length, { timeout: 20_000 }).toBe(2);
  expect(telegram.heard(7)[0]).toContain('You said: one');
  expect(telegram.heard(7)[1]).toContain('1. one');
  await expect.poll(() => telegram.heard(8)[0] ?? '', { timeout: 20_000 }).toContain('Nothing yet');
  expect(telegram.calls).toContain('sendChatAction');
});

test('what was taken is answered once after a kill, and what Telegram brings again is not answered again', async () => {
  const { telegram, begin } = await stage({ stream: false });
  const first = await begin();
  telegram.say(7, 'before');
  await expect.poll(() => telegram.heard(7).length, { timeout: 20_000 }).toBe(1);
  const slow = telegram.say(7, '/slow 2 story');
  telegram.say(7, 'after');
  await expect
    .poll(() => telegram.calls.filter((call) => call === 'sendChatAction').length)
    .toBeGreaterThan(1);
  await first.end('SIGKILL');
  const { update_id: _, ...sameAgain } = slow;
  telegram.push(sameAgain);
  await begin();
  await expect.poll(() => telegram.heard(7).length, { timeout: 30_000 }).toBe(3);
  expect(telegram.heard(7)[1]).toContain('story');
  expect(telegram.heard(7)[2]).toContain('You said: after');
  telegram.say(7, 'again');
  telegram.say(7, 'again');
  await expect.poll(() => telegram.heard(7).length, { timeout: 20_000 }).toBe(5);
});

test('an answer is shown while it is made, and ends in the same message', async () => {
  const { telegram, begin } = await stage();
  await begin();
  telegram.say(7, '/slow 4 poem');
  await expect.poll(() => telegram.sent.at(-1)?.text ?? '', { timeout: 20_000 }).toMatch(/…$/);
  await expect.poll(() => telegram.heard(7)[0] ?? '', { timeout: 20_000 }).toMatch(/complete\.$/);
  expect(telegram.sent).toHaveLength(1);
  expect(telegram.sent[0]?.edits).toBeGreaterThan(1);
});

test('a limit of Telegram is waited for, and the order stays', async () => {
  const { telegram, begin } = await stage({ stream: false });
  await begin();
  let limited = 0;
  telegram.trouble((method) => {
    if (method !== 'sendMessage' || limited >= 2) return undefined;
    limited += 1;
    return failure(429, 'Too Many Requests: retry after 1', { retry_after: 1 });
  });
  telegram.say(7, 'first');
  telegram.say(7, 'second');
  await expect.poll(() => telegram.heard(7).length, { timeout: 20_000 }).toBe(2);
  expect(telegram.heard(7).map((text) => text.split('\n')[0])).toEqual([
    'You said: first',
    'You said: second',
  ]);
  expect(limited).toBe(2);
});
