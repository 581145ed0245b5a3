import { expect, onTestFinished, test } from 'vitest';
import type { ChannelMessage } from '../../src/channels/channel.js';
import { createSlackChannel } from '../../src/channels/slack/slack-channel.js';
import { checkChannel, type Said } from './conformance.js';
import { fakeSlack, SIGNING_SECRET } from './fake-slack.js';

function eventOf(words: string, { id, thread, group, mention }: Said, ts: string) {
  return {
    type: 'message',
    user: 'U1',
    channel: group === true ? 'C1' : 'D1',
    channel_type: group === true ? 'channel' : 'im',
    text: mention === true ? `<@UBOT> ${words}` : words,
    ts: id === undefined ? ts : `7.00000${id}`,
    ...(thread === true ? { thread_ts: '5.000001' } : {}),
  };
}

async function open(mode: 'socket' | 'http') {
  const slack = await fakeSlack();
  const settings = {
    kind: 'slack',
    token: 'xoxb-1',
    appToken: mode === 'socket' ? 'xapp-1' : undefined,
    signingSecret: mode === 'http' ? SIGNING_SECRET : undefined,
    apiRoot: slack.url,
  } as const;
  const channel = createSlackChannel({ name: 'slack', account: undefined }, settings, () => new Date());
  let next = 1;
  async function post(event: object): Promise<void> {
    const body = JSON.stringify(slack.callback(event));
    const request = () =>
      channel.handleRequest(
        new Request('http://x/channels/slack', { method: 'POST', headers: slack.signed(body), body }),
      );
    // Slack tries again where it hears no 200.
    await request().catch(request);
  }
  const push = mode === 'socket' ? slack.push : post;
  return {
    slack,
    channel,
    heard: () => slack.posted.map(({ text, thread }) => ({ text, thread })),
    say: (words: string, more: Said = {}) => push(eventOf(words, more, `9.00000${next++}`)),
    echo: (words: string) => push({ ...eventOf(words, {}, '8.000001'), user: 'UBOT', bot_id: 'BBOT' }),
    limit: () => void slack.troubles.push({ status: 429, headers: { 'retry-after': '1' } }),
    cut: () => void slack.troubles.push({ cut: true }),
  };
}

checkChannel('Slack over Socket Mode', () => open('socket'));
checkChannel('Slack over HTTP', () => open('http'));

test('a socket that breaks is made anew', async () => {
  const { slack, channel, say } = await open('socket');
  onTestFinished(() => channel.stop());
  const received: ChannelMessage[] = [];
  await channel.start(async (message) => void received.push(message));
  for (const socket of slack.sockets) socket.terminate();
  await say('after the break', { id: 1 });
  expect(new Set(received.map(({ text }) => text))).toEqual(new Set(['after the break']));
});

test('a forged, an old and a stolen request are refused; the challenge is answered', async () => {
  const { slack, channel } = await open('http');
  const post = (body: string, headers: Record<string, string>) =>
    channel.handleRequest(new Request('http://x/', { method: 'POST', headers, body }));
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c' });
  await expect(post(body, slack.signed(body, undefined, 'guess'))).rejects.toMatchObject({
    status: 401,
    code: 'signature_invalid',
  });
  await expect(post(body, slack.signed(body, 1000))).rejects.toMatchObject({ code: 'signature_expired' });
  await expect(post(`${body} `, slack.signed(body))).rejects.toMatchObject({ code: 'signature_invalid' });
  expect(await (await post(body, slack.signed(body))).json()).toEqual({ challenge: 'c' });
});

test.each([
  [{ subtype: 'message_changed' }],
  [{ subtype: 'message_deleted' }],
  [{ subtype: 'channel_join' }],
  [{ text: '' }],
  [{ type: 'reaction_added' }],
  [{ channel: undefined }],
])('what nobody said is no message: %o', async (change) => {
  const { slack, channel } = await open('http');
  const received: ChannelMessage[] = [];
  await channel.start(async (message) => void received.push(message));
  const body = JSON.stringify(slack.callback({ ...eventOf('x', {}, '1.1'), ...change }));
  const answer = await channel.handleRequest(
    new Request('http://x/', { method: 'POST', headers: slack.signed(body), body }),
  );
  expect([answer.status, received]).toEqual([200, []]);
});
