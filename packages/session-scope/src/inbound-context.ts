import * as z from 'zod/mini';
import { ScopeError } from './errors.js';
import { firstIssue } from './schema-issue.js';

/** Where a message comes from, as the platform says it: nothing is trimmed or folded yet. */
export interface InboundContext {
  /** `telegram`, `slack`, `cli` …; empty means `unknown`. */
  readonly channel: string;
  /** The bot or account that received it; absent means `default`. */
  readonly account?: string;
  readonly chatId?: string;
  /** `direct`, `group`, `channel` or the platform's own word. */
  readonly chatType?: string;
  /** Thread or forum topic. A private chat's thread id should be left out unless it is to be a session of its own. */
  readonly topicId?: string;
  readonly spaceId?: string;
  /** `guild`, `team`, `workspace`, `tenant`. */
  readonly spaceType?: string;
  readonly senderId?: string;
  readonly messageId?: string;
  readonly mentioned?: boolean;
  readonly replyToMessageId?: string;
}

/** The longest text accepted in one field, in UTF-16 units: ids are addresses, not documents. */
const MAX_FIELD_LENGTH = 1024;

const text = z
  .string('text expected')
  .check(z.maxLength(MAX_FIELD_LENGTH, `at most ${MAX_FIELD_LENGTH} characters expected`));
/** Numbers that JavaScript cannot hold exactly have already lost digits, and could name another chat. */
const id = z.union(
  [
    text,
    z.pipe(
      z.number().check(z.refine(Number.isSafeInteger)),
      z.transform((number) => String(number)),
    ),
  ],
  `text of at most ${MAX_FIELD_LENGTH} characters or an exact whole number expected`,
);

const wireSchema = z.object(
  {
    channel: z.nullish(text),
    account: z.nullish(id),
    chat_id: z.nullish(id),
    chat_type: z.nullish(text),
    topic_id: z.nullish(id),
    space_id: z.nullish(id),
    space_type: z.nullish(text),
    sender_id: z.nullish(id),
    message_id: z.nullish(id),
    mentioned: z.nullish(z.boolean('true or false expected')),
    reply_to_message_id: z.nullish(id),
  },
  'an object expected',
);

/** Parses the wire form (`chat_id` …). Ids may be numbers, `null` means absent, unknown fields are ignored. */
export const inboundContextSchema = z.pipe(wireSchema, z.transform(fromWire));

/** As `inboundContextSchema`, with one readable sentence on failure: throws `ScopeError` `InvalidInbound`. */
export function parseInboundContext(value: unknown): InboundContext {
  const parsed = inboundContextSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, expected } = firstIssue(parsed.error);
  const place = path === '' ? 'The inbound context' : `The inbound context's field "${path}"`;
  throw new ScopeError('InvalidInbound', path, `${place} cannot be read: ${expected}.`, parsed.error);
}

function fromWire(wire: z.output<typeof wireSchema>): InboundContext {
  return {
    channel: wire.channel ?? '',
    ...(wire.account != null && { account: wire.account }),
    ...(wire.chat_id != null && { chatId: wire.chat_id }),
    ...(wire.chat_type != null && { chatType: wire.chat_type }),
    ...(wire.topic_id != null && { topicId: wire.topic_id }),
    ...(wire.space_id != null && { spaceId: wire.space_id }),
    ...(wire.space_type != null && { spaceType: wire.space_type }),
    ...(wire.sender_id != null && { senderId: wire.sender_id }),
    ...(wire.message_id != null && { messageId: wire.message_id }),
    ...(wire.mentioned != null && { mentioned: wire.mentioned }),
    ...(wire.reply_to_message_id != null && { replyToMessageId: wire.reply_to_message_id }),
  };
}
