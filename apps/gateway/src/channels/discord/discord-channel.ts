import { setTimeout as pause } from 'node:timers/promises';
import {
  Client,
  Events,
  GatewayIntentBits,
  type Message,
  Options,
  Partials,
  type RawFile,
  Routes,
} from 'discord.js';
import type { ChannelSettings, PlatformSettings } from '../../configuration/channel-settings.js';
import { type Channel, type Receive, type ReplyAddress, withoutExtras } from '../channel.js';
import { bytesOfDataUrl, fetchBytes } from '../remote-bytes.js';
import { discordError } from './discord-errors.js';
import { discordMessage } from './discord-message.js';

type Settings = Extract<PlatformSettings, { kind: 'discord' }>;

const AGAIN_MS = 1000;

/** A Discord bot. */
export function createDiscordChannel(
  { name, account }: Pick<ChannelSettings, 'name' | 'account'>,
  { token, apiRoot }: Settings,
): Channel {
  const ending = new AbortController();
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    // A private chat is not known before its first message.
    partials: [Partials.Channel],
    // Messages lie in the inbox: a second copy here would only grow.
    makeCache: Options.cacheWithLimits({ ...Options.DefaultMakeCacheSettings, MessageManager: 0 }),
    rest: {
      ...(apiRoot === undefined ? {} : { api: apiRoot }),
      // Trying again and waiting are the outbox's.
      retries: 0,
      rejectOnRateLimit: () => true,
    },
  });
  /** Discord tells of a message once: what was not stored is kept here, and everything behind it, until it is. */
  let taken: Promise<void> = Promise.resolve();
  let receive: Receive | undefined;

  async function take(message: Message): Promise<void> {
    const said = discordMessage(message, client.user?.id ?? '', account);
    while (said !== undefined && !ending.signal.aborted) {
      try {
        await receive?.(said);
        return;
      } catch {
        await pause(AGAIN_MS, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
  }
  client.on(Events.MessageCreate, (message) => {
    taken = taken.then(() => take(message));
  });
  // The library connects again by itself.
  client.on(Events.Error, () => {});
  client.on(Events.ShardError, () => {});

  const calling = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => Promise.reject(discordError(error)));
  const placeOf = ({ chat, thread }: ReplyAddress) => thread ?? chat;

  return {
    ...withoutExtras,
    name,
    kind: 'discord',
    traits: { textLimit: 2000, edits: true, editIntervalMs: 1200, idempotent: true, typingMs: 10_000 },

    async start(given) {
      receive = given;
      const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
      await calling(client.login(token));
      await ready;
    },

    async send({ address, text, media, key }) {
      const held = media.map(({ url, name: file }) => ({ url, file, bytes: bytesOfDataUrl(url)?.bytes }));
      const files: RawFile[] = held.flatMap(({ file, bytes }) =>
        bytes === undefined ? [] : [{ name: file, data: Buffer.from(bytes) }],
      );
      const links = held.filter(({ bytes }) => bytes === undefined).map(({ url }) => url);
      const body = {
        content: [text, ...links].join('\n').trim(),
        nonce: key,
        enforce_nonce: true,
        // Whatever a model writes, it calls nobody.
        allowed_mentions: { parse: [] },
        ...(address.replyTo === undefined
          ? {}
          : { message_reference: { message_id: address.replyTo, fail_if_not_exists: false } }),
      };
      const route = Routes.channelMessages(placeOf(address));
      const sent = (await calling(client.rest.post(route, { body, files }))) as { readonly id: string };
      return sent.id;
    },

    async edit(address, id, text) {
      const body = { content: text, allowed_mentions: { parse: [] } };
      await calling(client.rest.patch(Routes.channelMessage(placeOf(address), id), { body }));
    },

    async showTyping(address) {
      await client.rest.post(Routes.channelTyping(placeOf(address)));
    },

    fetchMedia: (reference) => fetchBytes(reference),

    async stop() {
      ending.abort();
      await client.destroy();
      await taken;
    },
  };
}
