import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { targetOfSession } from '../../src/jobs/spoken-place.js';
import { gatewayHere } from '../support/gateway-here.js';
import { holdfast, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { fakeTelegram } from './fake-telegram.js';

test('what a job says, and what the agent answers to it, is said on the platform, once', async () => {
  const folder = temporaryFolder();
  const telegram = await fakeTelegram();
  const target = { channel: 'telegram', chat_type: 'direct', chat_id: '7' };
  const jobs = [
    {
      id: 'tea',
      kind: 'outbound_message',
      schedule: { type: 'delay', seconds: 1 },
      target,
      payload: { content: '**Tea!**' },
    },
    {
      id: 'report',
      kind: 'agent_task',
      schedule: { type: 'delay', seconds: 3600 },
      target,
      payload: { prompt: 'what did I say?' },
    },
  ];
  writeFileSync(
    join(folder, 'holdfast.config.json'),
    JSON.stringify({
      channels: {
        telegram: {
          kind: 'telegram',
          token_env: 'BOT',
          api_root: telegram.url,
          direct: 'open',
          stream: false,
        },
      },
      scheduler: { jobs },
    }),
  );
  const gateway = await startProgram(folder, { BOT: telegram.token, HOLDFAST_MODEL: 'offline' });
  onTestFinished(async () => void (await gateway.end('SIGKILL')));
  await expect.poll(() => telegram.heard(7), { timeout: 20_000 }).toHaveLength(1);
  expect(telegram.heard(7)[0]).toContain('Tea!');
  telegram.say(7, 'thanks');
  await expect.poll(() => telegram.heard(7), { timeout: 20_000 }).toHaveLength(2);
  await holdfast(folder, ['jobs', 'run', 'report'], { environment: { BOT: telegram.token } });
  await expect.poll(() => telegram.heard(7), { timeout: 20_000 }).toHaveLength(3);
  // It all was one conversation.
  expect(telegram.heard(7)[2]).toContain('. thanks');
});

test('a job that an agent makes in a chat is for that chat', async () => {
  const here = await gatewayHere();
  const said = async (context: object) => {
    const { key } = await here.say('hello', { context: { channel: 'telegram', senderId: '7', ...context } });
    return targetOfSession(key, await here.gateway.backend.meta(key));
  };
  expect(await said({ chatType: 'direct', chatId: '7' })).toMatchObject({
    channel: 'telegram',
    chat_id: '7',
  });
  const topic = { chatType: 'group', chatId: '-100', topicId: '42' };
  expect(await said(topic)).toMatchObject({ chat_type: 'group', chat_id: '-100', topic_id: '42' });
  const slack = { channel: 'slack', account: 'work', chatType: 'channel', chatId: 'C12' };
  expect(await said(slack)).toMatchObject({ channel: 'slack', account: 'work', chat_id: 'C12' });
});
