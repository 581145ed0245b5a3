import { expect, onTestFinished, test } from 'vitest';
import type { ChannelMessage } from '../../src/channels/channel.js';
import { createDiscordChannel } from '../../src/channels/discord/discord-channel.js';
import { type ChannelStage, checkChannel } from './conformance.js';
import { fakeDiscord, THREAD } from './fake-discord.js';

async function open(): Promise<ChannelStage & { readonly discord: Awaited<ReturnType<typeof fakeDiscord>> }> {
  const discord = await fakeDiscord();
  const settings = { kind: 'discord', token: 'token', apiRoot: discord.url } as const;
  const channel = createDiscordChannel({ name: 'discord', account: undefined }, settings);
  return {
    discord,
    channel,
    heard: () =>
      discord.posted.map(({ text, channel: place }) => ({
        text,
        thread: place === THREAD ? place : undefined,
      })),
    async say(words, { id, group, thread, mention } = {}) {
      discord.message(words, thread === true ? 'thread' : group === true ? 'channel' : 'direct', {
        ...(id === undefined ? {} : { id: String(id) }),
        ...(mention === true ? { mentions: [discord.bot] } : {}),
      });
    },
    echo: async (words) => discord.message(words, 'direct', { author: discord.bot }),
    limit: () =>
      void discord.troubles.push({
        status: 429,
        headers: { 'retry-after': '1' },
        json: { message: 'You are being rate limited.', retry_after: 1, global: false },
      }),
    cut: () => void discord.troubles.push({ cut: true }),
  };
}

checkChannel('Discord', open);

test('a connection that breaks is made anew', async () => {
  const { discord, channel, say } = await open();
  onTestFinished(() => channel.stop());
  const received: ChannelMessage[] = [];
  await channel.start(async (message) => void received.push(message));
  for (const socket of [...discord.sockets]) socket.terminate();
  await expect.poll(() => discord.sockets.size, { timeout: 30_000 }).toBe(1);
  await expect
    .poll(
      async () => {
        await say('after the break', { id: 1 });
        return received.length > 0;
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(true);
});
