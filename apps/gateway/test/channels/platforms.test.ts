import { createTelegramChannel } from '../../src/channels/telegram/telegram-channel.js';
import { createWebhookChannel } from '../../src/channels/webhook/webhook-channel.js';
import { signedHeaders } from '../../src/channels/webhook/webhook-signature.js';
import { type ChannelStage, checkChannel, type Said } from './conformance.js';
import { type FakeAnswer, fakeHttp } from './fake-http.js';
import { failure, fakeTelegram } from './fake-telegram.js';

const GROUP = -100;
const bot = { id: 1, is_bot: true, first_name: 'Bot', username: 'HoldfastBot' };

async function openTelegram(mode: 'polling' | 'webhook'): Promise<ChannelStage> {
  const telegram = await fakeTelegram();
  const troubles: FakeAnswer[] = [];
  telegram.trouble((method) => (method === 'sendMessage' ? troubles.shift() : undefined));
  const settings = {
    kind: 'telegram',
    token: telegram.token,
    mode,
    secret: mode === 'webhook' ? 'hook-secret' : undefined,
    url: undefined,
    apiRoot: telegram.url,
  } as const;
  const channel = createTelegramChannel({ name: 'telegram', account: undefined }, settings);
  async function say(words: string, { id, thread, group, mention }: Said = {}): Promise<void> {
    const name = '@HoldfastBot';
    const update = telegram.say(group === true ? GROUP : 7, mention === true ? `${name} ${words}` : words, {
      ...(id === undefined ? {} : { message_id: id }),
      ...(mention === true ? { entities: [{ type: 'mention', offset: 0, length: name.length }] } : {}),
      ...(thread === true ? { message_thread_id: 42, is_topic_message: true } : {}),
    });
    if (mode === 'webhook') await post(update);
  }
  /** Telegram tries again where it hears no 200. */
  async function post(update: object): Promise<void> {
    const request = () =>
      channel.handleRequest(
        new Request('http://x/', {
          method: 'POST',
          headers: { 'x-telegram-bot-api-secret-token': 'hook-secret' },
          body: JSON.stringify(update),
        }),
      );
    await request().catch(request);
  }
  return {
    channel,
    say,
    heard: () => telegram.sent.map(({ text, thread }) => ({ text, thread })),
    async echo(words) {
      const update = telegram.say(7, words, { from: bot });
      if (mode === 'webhook') await post(update);
    },
    limit: () => void troubles.push(failure(429, 'Too Many Requests', { retry_after: 1 })),
    cut: () => void troubles.push({ cut: true }),
  };
}

async function openWebhook(): Promise<ChannelStage> {
  const heard: { text: string; thread: string | undefined; key: string }[] = [];
  const troubles: FakeAnswer[] = [];
  const receiver = await fakeHttp(({ fields, headers }) => {
    const trouble = troubles.shift();
    const key = String(headers['idempotency-key']);
    const isTaken = trouble === undefined || trouble.cut === true;
    if (isTaken && !heard.some((each) => each.key === key)) {
      heard.push({
        text: String(fields.text),
        thread: fields.topic_id ? String(fields.topic_id) : undefined,
        key,
      });
    }
    return trouble ?? { json: { id: key } };
  });
  const settings = { kind: 'webhook', secret: 'secret', url: receiver.url } as const;
  const channel = createWebhookChannel({ name: 'hook', account: undefined }, settings, () => new Date());
  let next = 1;
  async function post(text: string, { id, thread, group, mention }: Said, more: object = {}): Promise<void> {
    const body = JSON.stringify({
      id: id === undefined ? `m${next++}` : `n${id}`,
      text,
      context: {
        chat_id: group === true ? 'G' : 'D',
        chat_type: group === true ? 'group' : 'direct',
        sender_id: 'ann',
        ...(group === true ? { mentioned: mention === true } : {}),
        ...(thread === true ? { topic_id: 't' } : {}),
      },
      ...more,
    });
    const request = () =>
      channel.handleRequest(
        new Request('http://x/', {
          method: 'POST',
          headers: signedHeaders('secret', body, new Date()),
          body,
        }),
      );
    await request().catch(request);
  }
  return {
    channel,
    heard: () => heard.map(({ text, thread }) => ({ text, thread })),
    say: (words, more = {}) => post(words, more),
    // What a program sends, it means: there is no message of our own to come back.
    echo: () => Promise.resolve(),
    limit: () => void troubles.push({ status: 429, headers: { 'retry-after': '1' } }),
    cut: () => void troubles.push({ cut: true }),
  };
}

checkChannel('Telegram by polling', () => openTelegram('polling'));
checkChannel('Telegram by webhook', () => openTelegram('webhook'));
checkChannel('A webhook', openWebhook);
