import { inboundContextSchema } from '@x/session-scope';
import { z } from 'zod';
import type { ChannelSettings, PlatformSettings } from '../../configuration/channel-settings.js';
import { schemaProblems } from '../../configuration/schema-problems.js';
import { readText } from '../../http/json-body.js';
import { RequestError } from '../../request-error.js';
import { type Channel, ChannelError, type ChannelMessage, type Receive, withoutExtras } from '../channel.js';
import { bytesOfDataUrl, fetchBytes } from '../remote-bytes.js';
import { checkSignature, signedHeaders } from './webhook-signature.js';

type Settings = Extract<PlatformSettings, { kind: 'webhook' }>;

const PATIENCE_MS = 30_000;

const bodySchema = z.object({
  id: z.string().min(1).max(512),
  text: z.string().max(1_000_000).default(''),
  context: inboundContextSchema,
  media: z.array(z.string().max(1_000_000)).max(20).default([]),
  sender_name: z.string().max(200).default(''),
  sender_is_bot: z.boolean().default(false),
});
type Body = z.output<typeof bodySchema>;
const answerSchema = z.object({ id: z.union([z.string(), z.number()]).transform(String) });

/** Any program that can make and take a signed request. */
export function createWebhookChannel(
  { name, account }: Pick<ChannelSettings, 'name' | 'account'>,
  { secret, url }: Settings,
  clock: () => Date,
): Channel {
  let receive: Receive | undefined;
  const requests = new Set<Promise<unknown>>();

  return {
    ...withoutExtras,
    name,
    kind: 'webhook',
    traits: { textLimit: 100_000, edits: false, editIntervalMs: 0, idempotent: true, typingMs: 0 },

    async start(given) {
      receive = given;
    },

    async send({ address, text, media, key }) {
      // Nobody listens: whoever asked looks at the session.
      if (url === undefined) return key;
      const { chat, thread, replyTo } = address;
      const body = JSON.stringify({
        id: key,
        chat_id: chat,
        topic_id: thread ?? null,
        reply_to_message_id: replyTo ?? null,
        text,
        media,
      });
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...signedHeaders(secret, body, clock()),
      };
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => {
        throw new ChannelError('unknown', 'The receiver of answers did not answer.');
      });
      return idFrom(answer, key);
    },

    fetchMedia: async (reference) => bytesOfDataUrl(reference) ?? fetchBytes(reference),

    async handleRequest(request) {
      const text = await readText(request);
      checkSignature(secret, request.headers, text, clock());
      if (receive === undefined)
        throw new RequestError(503, 'not_connected', 'The channel is not connected yet.', 5);
      const taking = receive(webhookMessage(parseBody(text), account));
      requests.add(taking);
      await taking.finally(() => requests.delete(taking));
      return Response.json({ accepted: true }, { status: 202 });
    },

    async stop() {
      await Promise.allSettled(requests);
    },
  };
}

async function idFrom(answer: Response, key: string): Promise<string> {
  if (answer.ok) return answerSchema.safeParse(await answer.json().catch(() => undefined)).data?.id ?? key;
  await answer.body?.cancel();
  const { status } = answer;
  if (status === 429) {
    const seconds = Number(answer.headers.get('retry-after') ?? 1);
    const retryAfterMs = (Number.isFinite(seconds) ? seconds : 1) * 1000;
    throw new ChannelError('rate_limited', 'The receiver of answers asks to wait.', { retryAfterMs });
  }
  throw new ChannelError(status >= 500 ? 'unknown' : 'refused', `The receiver of answers said ${status}.`);
}

function parseBody(text: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(400, 'invalid_json', 'The body is not JSON in UTF-8.');
  }
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const complaints = schemaProblems(parsed.error).map(({ path, message }) => `${path}: ${message}`);
  throw new RequestError(400, 'invalid_request', complaints.join('; '));
}

/** The channel of the context is what the sender says, or `webhook`; its ids are the address of the answer. */
function webhookMessage(body: Body, account: string | undefined): ChannelMessage {
  const { context } = body;
  const { chatId = 'default', topicId, senderId = chatId, messageId = body.id } = context;
  return {
    id: body.id,
    text: body.text,
    media: body.media.map((url) => ({
      kind: /^data:image\/|\.(?:png|jpe?g|gif|webp)(?:\?|$)/i.test(url) ? 'image' : 'file',
      reference: url,
      ...(url.startsWith('data:') ? {} : { name: url.slice(0, 200) }),
    })),
    sender: { id: senderId, name: body.sender_name, isBot: body.sender_is_bot },
    context: {
      ...context,
      channel: context.channel === '' ? 'webhook' : context.channel,
      ...(context.account === undefined && account !== undefined ? { account } : {}),
      chatId,
      senderId,
      messageId,
    },
    address: { chat: chatId, ...(topicId === undefined ? {} : { thread: topicId }), replyTo: messageId },
  };
}
