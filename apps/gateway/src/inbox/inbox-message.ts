import type { InboundContext } from '@x/session-scope';
import type { Delivery } from '@x/session-sqlite';
import { z } from 'zod';
import type { ChannelMessage } from '../channels/channel.js';

const text = z.string();

const contextSchema: z.ZodType<InboundContext> = z.object({
  channel: text,
  account: z.exactOptional(text),
  chatId: z.exactOptional(text),
  chatType: z.exactOptional(text),
  topicId: z.exactOptional(text),
  spaceId: z.exactOptional(text),
  spaceType: z.exactOptional(text),
  senderId: z.exactOptional(text),
  messageId: z.exactOptional(text),
  mentioned: z.exactOptional(z.boolean()),
  replyToMessageId: z.exactOptional(text),
});

export const addressSchema = z.object({
  chat: text,
  thread: z.exactOptional(text),
  replyTo: z.exactOptional(text),
});

const messageSchema: z.ZodType<InboxMessage> = z.object({
  purpose: z.enum(['answer', 'context']),
  context: contextSchema,
  text,
  media: z.array(
    z.object({
      kind: z.enum(['image', 'audio', 'video', 'file']),
      reference: text,
      name: z.exactOptional(text),
      mediaType: z.exactOptional(text),
      bytes: z.exactOptional(z.number()),
    }),
  ),
  sender: z.object({ id: text, name: text, isBot: z.boolean() }),
  address: addressSchema,
});

/** A person's message as it lies in the inbox. */
export interface InboxMessage extends Omit<ChannelMessage, 'id'> {
  /** `context`: the model sees it with the next message, and it is not answered. */
  readonly purpose: 'answer' | 'context';
}

export function parseInboxMessage({ payload }: Pick<Delivery, 'payload'>): InboxMessage {
  return messageSchema.parse(payload);
}

/** What is kept of a message that is being answered: the message in which the answer is shown while it is made. */
const draftSchema = z.object({ draft: text });

export function draftOf({ result }: Pick<Delivery, 'result'>): string | undefined {
  return draftSchema.safeParse(result).data?.draft;
}
