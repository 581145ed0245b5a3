import { createHash } from 'node:crypto';
import type { Delivery, NewDelivery } from '@x/session-sqlite';
import type { JsonValue } from '@x/session-store';
import { z } from 'zod';
import type { Channel, OutgoingMedia, ReplyAddress } from '../channels/channel.js';
import { chunkMarkdown } from '../channels/chunk-markdown.js';
import { addressSchema } from '../inbox/inbox-message.js';

const partSchema: z.ZodType<OutboxPart> = z.object({
  address: addressSchema,
  text: z.string(),
  media: z.array(z.object({ url: z.string(), name: z.string() })),
  edits: z.exactOptional(z.string()),
});

/** One message to be said: a piece of an answer. */
export interface OutboxPart {
  readonly address: ReplyAddress;
  readonly text: string;
  readonly media: readonly OutgoingMedia[];
  /** The message that is to read so, instead of a new one. */
  readonly edits?: string;
}

export function parseOutboxPart({ payload }: Pick<Delivery, 'payload'>): OutboxPart {
  return partSchema.parse(payload);
}

export interface Reply {
  /** What the parts' names begin with: the same reply put twice is said once. */
  readonly name: string;
  readonly address: ReplyAddress;
  /** Markdown of any length. */
  readonly text: string;
  readonly media?: readonly OutgoingMedia[];
  /** The message in which the answer was shown while it was made: its first piece takes that place. */
  readonly draft?: string | undefined;
}

/** A reply as messages that fit the platform, in order: a piece that fails is tried again alone. */
export function replyParts(channel: Pick<Channel, 'name' | 'traits'>, reply: Reply): NewDelivery[] {
  const { name, address, text, media = [], draft } = reply;
  const { replyTo: _, ...place } = address;
  const texts = chunkMarkdown(text, channel.traits.textLimit);
  const parts: OutboxPart[] = [
    ...texts.map((piece, index) => ({
      address: index === 0 ? address : place,
      text: piece,
      media: [],
      ...(index === 0 && draft !== undefined ? { edits: draft } : {}),
    })),
    ...media.map((each) => ({ address: place, text: '', media: [each] })),
  ];
  return parts.map((part, index) => ({
    queue: 'outbox',
    lane: outboxLane(channel.name, address),
    name: `${name}#${index}`,
    channel: channel.name,
    payload: part as unknown as JsonValue,
  }));
}

/** What is said in one place is said in order. */
export function outboxLane(channel: string, { chat, thread }: ReplyAddress): string {
  return JSON.stringify([channel, chat, thread ?? '']);
}

/** The key under which a platform takes a message once: 24 letters and digits. */
export function idempotencyKey(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 24);
}
