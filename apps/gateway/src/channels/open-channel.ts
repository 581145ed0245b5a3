import type { ChannelSettings } from '../configuration/channel-settings.js';
import type { Channel } from './channel.js';

/** The channel of these settings; a platform's library is loaded where it is used. It does not connect yet. */
export async function openChannel(settings: ChannelSettings, clock: () => Date): Promise<Channel> {
  const { platform } = settings;
  switch (platform.kind) {
    case 'telegram': {
      const { createTelegramChannel } = await import('./telegram/telegram-channel.js');
      return createTelegramChannel(settings, platform);
    }
    case 'webhook': {
      const { createWebhookChannel } = await import('./webhook/webhook-channel.js');
      return createWebhookChannel(settings, platform, clock);
    }
    case 'slack': {
      const { createSlackChannel } = await import('./slack/slack-channel.js');
      return createSlackChannel(settings, platform, clock);
    }
    case 'discord': {
      const { createDiscordChannel } = await import('./discord/discord-channel.js');
      return createDiscordChannel(settings, platform);
    }
  }
}
