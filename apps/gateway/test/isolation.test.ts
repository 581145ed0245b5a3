import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

async function gatewayWith(session: unknown) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ session }));
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  return clientOf(gateway.url);
}

const group = { channel: 'telegram', chat_type: 'group', chat_id: '-100777' };
const anna = { ...group, sender_id: 'anna' };
const boris = { ...group, sender_id: 'boris' };
const ASK = 'What did I say?';

test('two people in one group never see each other’s words under chat and sender', async () => {
  const client = await gatewayWith({ dimensions: ['chat', 'sender'] });
  await client.inbound(anna, 'my code word is heron');
  await client.inbound(boris, 'my code word is badger');
  const toAnna = await client.inbound(anna, ASK);
  const toBoris = await client.inbound(boris, ASK);
  expect(toAnna.session_key).not.toBe(toBoris.session_key);
  expect(toAnna.reply).toContain('heron');
  expect(toAnna.reply).not.toContain('badger');
  expect(toBoris.reply).toContain('badger');
  expect(toBoris.reply).not.toContain('heron');
});

test('the same group shares its words under chat', async () => {
  const client = await gatewayWith({ dimensions: ['chat'] });
  await client.inbound(anna, 'my code word is heron');
  await client.inbound(boris, 'my code word is badger');
  const toAnna = await client.inbound(anna, ASK);
  const toBoris = await client.inbound(boris, ASK);
  expect(toAnna.session_key).toBe(toBoris.session_key);
  expect(toAnna.reply).toContain('heron');
  expect(toAnna.reply).toContain('badger');
});

test('two topics of a forum stay apart, each with notes of its own', async () => {
  const client = await gatewayWith({ dimensions: ['chat'] });
  const garden = { ...anna, topic_id: 7 };
  const kitchen = { ...anna, topic_id: 8 };
  await client.inbound(garden, 'remember the roses need water');
  await client.inbound(kitchen, 'remember the oven is broken');
  const inGarden = await client.inbound(garden, 'what do you remember?');
  const inKitchen = await client.inbound(kitchen, 'what do you remember?');
  expect(inGarden.session_key).not.toBe(inKitchen.session_key);
  expect(inGarden.reply).toContain('roses');
  expect(inGarden.reply).not.toContain('oven');
  expect(inKitchen.reply).toContain('oven');
  expect(inKitchen.reply).not.toContain('roses');
});

test('one numeric id on two channels is two people', async () => {
  const client = await gatewayWith({ dimensions: ['chat'] });
  const onTelegram = { channel: 'telegram', chat_type: 'direct', chat_id: '42', sender_id: '42' };
  const onSlack = { ...onTelegram, channel: 'slack' };
  await client.inbound(onTelegram, 'I live in Porto');
  const reply = await client.inbound(onSlack, ASK);
  expect(reply.reply).not.toContain('Porto');
});

test('every channel’s sessions are listed, and each is reached by its key', async () => {
  const client = await gatewayWith({ dimensions: ['chat'] });
  for (const channel of ['telegram', 'slack', 'discord', 'feishu', 'cli']) {
    await client.inbound({ channel, chat_type: 'direct', chat_id: 'abc' }, `hello from ${channel}`);
  }
  await client.post('/api/chat', { text: 'mine', session: 'abc' });
  const { sessions } = await client.get('/api/sessions');
  expect(sessions.map((session: { channel: string }) => session.channel).toSorted()).toEqual([
    'cli',
    'discord',
    'feishu',
    'slack',
    'telegram',
    'web',
  ]);
  for (const { key } of sessions) expect((await client.get(`/api/sessions/${key}`)).session.key).toBe(key);
  const named = await client.get('/api/sessions/abc');
  expect(named.session).toMatchObject({ channel: 'web', title: 'abc', message_count: 2 });
  expect(await client.delete('/api/sessions/abc')).toEqual({ deleted: true });
  expect((await client.get('/api/sessions')).sessions).toHaveLength(5);
});
