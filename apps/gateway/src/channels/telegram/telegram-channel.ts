import { timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, InputFile } from 'grammy';
import type { Update } from 'grammy/types';
import type { ChannelSettings, PlatformSettings } from '../../configuration/channel-settings.js';
import { readJson } from '../../http/json-body.js';
import { RequestError } from '../../request-error.js';
import { type Channel, ChannelError, type Outgoing, type Receive, type ReplyAddress } from '../channel.js';
import { bytesOfDataUrl, fetchBytes } from '../remote-bytes.js';
import { isMarkupRefused, isUnchanged, telegramError } from './telegram-errors.js';
import { telegramHtml } from './telegram-html.js';
import { type TelegramBot, telegramMessage } from './telegram-message.js';

type Settings = Extract<PlatformSettings, { kind: 'telegram' }>;

const DEFAULT_ROOT = 'https://api.telegram.org';
const POLL_SECONDS = 25;
const LONGEST_PAUSE_MS = 30_000;

/** A Telegram bot, by long polling or by webhook. */
export function createTelegramChannel(
  { name, account }: Pick<ChannelSettings, 'name' | 'account'>,
  settings: Settings,
): Channel {
  const { token, apiRoot = DEFAULT_ROOT } = settings;
  const api = new Api(token, { apiRoot });
  const ending = new AbortController();
  let receive: Receive | undefined;
  let bot: TelegramBot | undefined;
  let polling: Promise<void> = Promise.resolve();
  const requests = new Set<Promise<unknown>>();

  async function take(update: Update): Promise<void> {
    const message = bot === undefined ? undefined : telegramMessage(update, bot);
    if (message !== undefined) await receive?.(message);
  }

  /** What was not stored is asked for again: Telegram forgets an update only when a later one is asked for. */
  async function poll(): Promise<void> {
    const { signal } = ending;
    let offset = 0;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const updates = await api.getUpdates(
          { offset, timeout: POLL_SECONDS, allowed_updates: ['message'] },
          // The library types an older AbortSignal.
          signal as never,
        );
        for (const update of updates) {
          if (signal.aborted) return;
          await take(update);
          offset = update.update_id + 1;
        }
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const { retryAfterMs } = telegramError(error);
        const waitMs = Math.max(retryAfterMs, Math.min(250 * 2 ** failures, LONGEST_PAUSE_MS));
        failures += 1;
        await pause(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  async function say<T>(call: (text: string, mode: object) => Promise<T>, markdown: string): Promise<T> {
    try {
      return await call(telegramHtml(markdown), { parse_mode: 'HTML' });
    } catch (error) {
      if (isMarkupRefused(error)) return call(markdown, {});
      throw error;
    }
  }

  async function sendMedia({ address, media, text }: Outgoing): Promise<string> {
    const [first] = media;
    if (first === undefined) throw new ChannelError('refused', 'There is nothing to be sent.');
    const held = bytesOfDataUrl(first.url);
    const file = held === undefined ? first.url : new InputFile(held.bytes, first.name);
    const isPicture = held?.mediaType.startsWith('image/') ?? /\.(?:png|jpe?g|webp)(?:\?|$)/i.test(first.url);
    const options = { ...placeOf(address), ...(text === '' ? {} : { caption: text }) };
    const sent = isPicture
      ? await api.sendPhoto(address.chat, file, options)
      : await api.sendDocument(address.chat, file, options);
    return String(sent.message_id);
  }

  return {
    name,
    kind: 'telegram',
    traits: { textLimit: 4096, edits: true, editIntervalMs: 1000, idempotent: false, typingMs: 5000 },

    async start(given) {
      receive = given;
      const { id, username } = await api
        .getMe()
        .catch((error: unknown) => Promise.reject(telegramError(error)));
      bot = { id, username, account };
      try {
        if (settings.mode === 'polling') {
          await api.deleteWebhook();
          polling = poll();
        } else if (settings.url !== undefined) {
          await api.setWebhook(settings.url, {
            allowed_updates: ['message'],
            ...(settings.secret === undefined ? {} : { secret_token: settings.secret }),
          });
        }
      } catch (error) {
        throw telegramError(error);
      }
    },

    async send(message) {
      try {
        if (message.media.length > 0) return await sendMedia(message);
        const { address, text } = message;
        const sent = await say(
          (words, mode) => api.sendMessage(address.chat, words, { ...placeOf(address), ...mode }),
          text,
        );
        return String(sent.message_id);
      } catch (error) {
        throw telegramError(error);
      }
    },

    async edit({ chat }, id, text) {
      try {
        await say((words, mode) => api.editMessageText(chat, Number(id), words, mode), text);
      } catch (error) {
        if (!isUnchanged(error)) throw telegramError(error);
      }
    },

    async showTyping({ chat, thread }) {
      await api.sendChatAction(
        chat,
        'typing',
        thread === undefined ? {} : { message_thread_id: Number(thread) },
      );
    },

    async fetchMedia(reference) {
      const { file_path: path } = await api
        .getFile(reference)
        .catch((error: unknown) => Promise.reject(telegramError(error)));
      if (path === undefined) throw new ChannelError('refused', 'Telegram does not hand out this file.');
      const fetched = await fetchBytes(`${apiRoot}/file/bot${token}/${path}`);
      return { ...fetched, mediaType: mediaTypeOf(path) ?? fetched.mediaType };
    },

    async handleRequest(request) {
      if (settings.mode !== 'webhook' || settings.secret === undefined) {
        throw new RequestError(404, 'not_found', 'There is nothing at this address.');
      }
      const given = request.headers.get('x-telegram-bot-api-secret-token') ?? '';
      if (!isSame(given, settings.secret)) {
        throw new RequestError(401, 'signature_invalid', 'This is not the secret of this webhook.');
      }
      if (bot === undefined)
        throw new RequestError(503, 'not_connected', 'The channel is not connected yet.', 5);
      const update = (await readJson(request)) as Update;
      const taking = take(update);
      requests.add(taking);
      await taking.finally(() => requests.delete(taking));
      return new Response(null, { status: 200 });
    },

    async stop() {
      ending.abort();
      await polling;
      await Promise.allSettled(requests);
    },
  };
}

function placeOf({ thread, replyTo }: ReplyAddress) {
  return {
    ...(thread === undefined ? {} : { message_thread_id: Number(thread) }),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
  };
}

/** Telegram hands files out as bare bytes: their names say what they are. */
function mediaTypeOf(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const types: Readonly<Record<string, string>> = {
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
  };
  return types[ending];
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
