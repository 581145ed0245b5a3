import { SocketModeClient } from '@slack/socket-mode';
import { type KnownBlock, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { ChannelSettings, PlatformSettings } from '../../configuration/channel-settings.js';
import { readText } from '../../http/json-body.js';
import { RequestError } from '../../request-error.js';
import { type Channel, ChannelError, type Receive } from '../channel.js';
import { bytesOfDataUrl, fetchBytes } from '../remote-bytes.js';
import { hmac, isSame, SIGNATURE_VALID_MS } from '../webhook/webhook-signature.js';
import { slackError } from './slack-errors.js';
import { type SlackBot, slackCallbackSchema, slackMessage } from './slack-message.js';

type Settings = Extract<PlatformSettings, { kind: 'slack' }>;

/** The text beside the blocks is what notifications show. */
const MAX_NOTICE = 3000;

const challengeSchema = z.object({ type: z.literal('url_verification'), challenge: z.string() });
const bodySchema = z.union([challengeSchema, slackCallbackSchema]);

/** A Slack app, over Socket Mode where it has an app token, else over HTTP. */
export function createSlackChannel(
  { name, account }: Pick<ChannelSettings, 'name' | 'account'>,
  { token, appToken, signingSecret, apiRoot }: Settings,
  clock: () => Date,
): Channel {
  const options: WebClientOptions = {
    ...(apiRoot === undefined ? {} : { slackApiUrl: apiRoot }),
    // Trying again is the outbox's: it knows what may be said twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  };
  const web = new WebClient(token, options);
  const socket =
    appToken === undefined
      ? undefined
      : new SocketModeClient({ appToken, clientOptions: options, logLevel: LogLevel.ERROR });
  const taking = new Set<Promise<void>>();
  let receive: Receive | undefined;
  let bot: SlackBot | undefined;

  async function take(callback: z.output<typeof slackCallbackSchema>): Promise<void> {
    const message = bot === undefined ? undefined : slackMessage(callback, bot);
    if (message === undefined) return;
    if (receive === undefined)
      throw new RequestError(503, 'not_connected', 'The channel is not connected yet.', 5);
    const taken = receive(message);
    taking.add(taken);
    await taken.finally(() => taking.delete(taken));
  }

  /** Acknowledged once it is stored; without that, Slack brings it again. */
  async function takeEnvelope({ ack, body }: { ack: () => Promise<void>; body: unknown }): Promise<void> {
    const callback = slackCallbackSchema.safeParse(body).data;
    try {
      if (callback !== undefined) await take(callback);
      await ack();
    } catch {
      // Not acknowledged: it comes again.
    }
  }
  socket?.on('slack_event', takeEnvelope);
  socket?.on('error', () => {});

  function checkSigned(headers: Headers, body: string): void {
    const seconds = headers.get('x-slack-request-timestamp') ?? '';
    const expected = `v0=${hmac(signingSecret ?? '', `v0:${seconds}:${body}`)}`;
    if (!isSame(headers.get('x-slack-signature') ?? '', expected)) {
      throw new RequestError(401, 'signature_invalid', 'The signature is not that of this app.');
    }
    if (!(Math.abs(clock().getTime() - Number(seconds) * 1000) <= SIGNATURE_VALID_MS)) {
      throw new RequestError(401, 'signature_expired', 'The request was signed more than five minutes ago.');
    }
  }

  const calling = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => Promise.reject(slackError(error)));

  return {
    name,
    kind: 'slack',
    traits: { textLimit: 11_000, edits: true, editIntervalMs: 1200, idempotent: false, typingMs: 0 },

    async start(given) {
      receive = given;
      const { user_id: userId = '', bot_id: botId } = await calling(web.auth.test());
      bot = { userId, botId, account };
      if (socket !== undefined) await calling(socket.start());
    },

    async send({ address: { chat, thread }, text, media }) {
      const place = { channel: chat, ...(thread === undefined ? {} : { thread_ts: thread }) };
      const [first] = media;
      const held = first === undefined ? undefined : bytesOfDataUrl(first.url);
      if (first !== undefined && held !== undefined) {
        const { channel, ...inThread } = place;
        const file = {
          channel_id: channel,
          ...inThread,
          file: Buffer.from(held.bytes),
          filename: first.name,
        };
        await calling(web.filesUploadV2(file as Parameters<typeof web.filesUploadV2>[0]));
        return first.name;
      }
      const words = first === undefined ? text : `${text}\n${first.url}`.trim();
      const sent = await calling(web.chat.postMessage({ ...place, ...shown(words) }));
      return sent.ts ?? '';
    },

    async edit({ chat }, id, text) {
      await calling(web.chat.update({ channel: chat, ts: id, ...shown(text) }));
    },

    showTyping: () => Promise.resolve(),

    async fetchMedia(reference) {
      const host = new URL(reference).hostname;
      const isSlacks =
        host.endsWith('.slack.com') || (apiRoot !== undefined && host === new URL(apiRoot).hostname);
      // The token goes to nobody else.
      if (!isSlacks) throw new ChannelError('refused', 'The file does not lie at Slack.');
      return fetchBytes(reference, { authorization: `Bearer ${token}` });
    },

    async handleRequest(request) {
      if (signingSecret === undefined) {
        throw new RequestError(404, 'not_found', 'There is nothing at this address.');
      }
      const text = await readText(request);
      checkSigned(request.headers, text);
      const body = bodySchema.safeParse(parsedJson(text)).data;
      if (body?.type === 'url_verification') return Response.json({ challenge: body.challenge });
      if (body !== undefined) await take(body);
      return new Response(null, { status: 200 });
    },

    async stop() {
      await socket?.disconnect().catch(() => {});
      await Promise.allSettled(taking);
    },
  };
}

function shown(text: string): { readonly text: string; readonly blocks: KnownBlock[] } {
  return { text: text.slice(0, MAX_NOTICE), blocks: [{ type: 'markdown', text }] };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, 'invalid_json', 'The body is not JSON in UTF-8.');
  }
}
