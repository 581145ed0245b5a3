import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { fakeHttp } from './fake-http.js';
import { fakeTelegram } from './fake-telegram.js';

/** Longer on demand: HOLDFAST_CHAOS=50,30,8 for sessions, kills and messages of each session. */
const [SESSIONS = 6, KILLS = 3, MESSAGES = 4] = (process.env.HOLDFAST_CHAOS ?? '6,3,4')
  .split(',')
  .map(Number);
const SECRET = 'a shared secret';

test(`killed ${KILLS} times at random, a gateway answers ${SESSIONS} sessions on two channels, all of them, in order`, {
  timeout: 1_800_000,
}, async () => {
  const folder = temporaryFolder();
  const telegram = await fakeTelegram();
  /** By key: a receiver that is told the same twice knows it. */
  const hooked = new Map<string, { chat: string; text: string }>();
  const receiver = await fakeHttp(({ fields, headers }) => {
    const key = String(headers['idempotency-key']);
    if (!hooked.has(key)) hooked.set(key, { chat: String(fields.chat_id), text: String(fields.text) });
    return { json: { id: key } };
  });
  const channels = {
    telegram: { kind: 'telegram', token_env: 'BOT', api_root: telegram.url, direct: 'open', stream: false },
    hook: { kind: 'webhook', secret_env: 'HOOK', url: receiver.url },
  };
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ channels }));
  const begin = () => startProgram(folder, { BOT: telegram.token, HOOK: SECRET });
  let gateway = await begin();
  onTestFinished(async () => void (await gateway.end('SIGKILL')));

  /** As a program does that was not told that its message was taken: again, until it is. */
  async function post(chat: string, number: number): Promise<void> {
    const body = JSON.stringify({ id: `${chat}-${number}`, text: `m${number}`, context: { chat_id: chat } });
    for (;;) {
      const seconds = Math.floor(Date.now() / 1000);
      const digest = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
      const headers = { 'x-holdfast-timestamp': String(seconds), 'x-holdfast-signature': `v1=${digest}` };
      const answer = await fetch(`${gateway.url}/channels/hook`, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      if (answer?.status === 202) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const chats = Array.from({ length: SESSIONS }, (_, index) => index + 101);
  const isHooked = (chat: number) => chat % 2 === 0;
  const speaking = chats.map(async (chat) => {
    for (let number = 1; number <= MESSAGES; number += 1) {
      if (isHooked(chat)) await post(`h${chat}`, number);
      else telegram.say(chat, `m${number}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    }
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1000));
    await gateway.end('SIGKILL');
    gateway = await begin();
  }
  await Promise.all(speaking);

  /** The numbers that were answered in a chat, in the order of the answers. */
  function answered(chat: number): readonly number[] {
    const texts = isHooked(chat)
      ? [...hooked.values()].filter((each) => each.chat === `h${chat}`).map(({ text }) => text)
      : telegram.heard(chat);
    return texts.map((text) => Number(/You said: m(\d+)/.exec(text)?.[1]));
  }
  const all = Array.from({ length: MESSAGES }, (_, index) => index + 1);
  for (const chat of chats) {
    await expect.poll(() => [...new Set(answered(chat))], { timeout: 60_000, interval: 200 }).toEqual(all);
  }
  const twice = chats.flatMap((chat) =>
    answered(chat).length > MESSAGES ? [{ chat, answers: answered(chat) }] : [],
  );
  // Only Telegram cannot tell, and no more often than the process died.
  expect(twice.filter(({ chat }) => isHooked(chat))).toEqual([]);
  const doubles = twice.reduce((sum, { answers }) => sum + answers.length - MESSAGES, 0);
  expect(doubles).toBeLessThanOrEqual(KILLS * SESSIONS);
  for (const { answers } of twice) expect(answers).toEqual(answers.toSorted((one, other) => one - other));
  if (process.env.HOLDFAST_CHAOS !== undefined) {
    console.log(`${SESSIONS * MESSAGES} messages, ${KILLS} kills, ${doubles} answers said twice.`);
  }
});
