import { z } from 'zod';

/** Any value that JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One part of a message that is more than text. Parts of kinds unknown here are kept as they are. */
export interface ContentPart {
  /** `text`, `image`, `audio`, `video`, `file`, or another program's kind. */
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly name?: string;
}

/** What a model wants run. `arguments` is the JSON text exactly as the model wrote it, valid or not. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Tokens of one model step; absent where the provider does not say. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/**
 * One message of a session. Fields not named here are kept through every store and rewrite.
 * `id` and `createdAt` (ISO 8601) are given by the store where the caller leaves them out; an `id` given by
 * the caller makes a retry safe: within a session a second message of that id is not stored again.
 *
 * `meta` is free. Names the house itself uses: `origin` (see {@link messageOrigin}), `status`
 * (`interrupted`, `failed` or `stopped`: how the turn of an assistant message ended), `error` (a sentence).
 */
export interface Message {
  readonly id?: string;
  readonly role: Role;
  readonly content: string | readonly ContentPart[];
  readonly createdAt?: string;
  /** References to media, as the channel understands them. */
  readonly media?: readonly string[];
  readonly toolCalls?: readonly ToolCall[];
  /** On a `tool` message: the call it answers. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly modelName?: string;
  readonly reasoning?: string;
  readonly usage?: Usage;
  readonly meta?: { readonly [name: string]: JsonValue };
}

/** A message as a store gives it back. `seq` counts from 1 within its session and is never used twice. */
export interface StoredMessage extends Message {
  readonly id: string;
  readonly seq: number;
  readonly createdAt: string;
}

/**
 * Who is behind a message, from `meta.origin`; a `user` message without one is a person's.
 * `schedule` and `system` user messages count as turns but not as a person's interaction;
 * `agent-prompt` marks the system message that carries the agent's profile.
 */
export function messageOrigin(message: Message): string {
  const origin = message.meta?.origin;
  if (typeof origin === 'string') return origin;
  return message.role === 'user' ? 'person' : message.role;
}

/** The text of a message: its content, or its text parts one under the other. */
export function messageText(message: Pick<Message, 'content'>): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map((part) => part.text)
    .filter((text) => text !== undefined)
    .join('\n');
}

/**
 * True for an assistant message with neither words, calls nor media: a thought. It is stored, but does not
 * count when a truncation keeps the last N (PicoClaw's rule).
 */
export function isThought(message: Message): boolean {
  return (
    message.role === 'assistant' &&
    (message.toolCalls?.length ?? 0) === 0 &&
    (message.media?.length ?? 0) === 0 &&
    (typeof message.content === 'string' ? message.content.trim() === '' : message.content.length === 0)
  );
}

const jsonObject = z.record(z.string(), z.json());

/** Parses one message from outside; unknown fields pass through. Times become ISO 8601 in UTC. */
export const messageSchema = z.looseObject({
  id: z.string().min(1).max(1024).optional(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([
    z.string(),
    z.array(
      z.looseObject({
        type: z.string().min(1),
        text: z.string().optional(),
        url: z.string().optional(),
        mediaType: z.string().optional(),
        name: z.string().optional(),
      }),
    ),
  ]),
  createdAt: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'expected an ISO 8601 time')
    .optional(),
  media: z.array(z.string()).optional(),
  toolCalls: z
    .array(z.looseObject({ id: z.string().min(1), name: z.string().min(1), arguments: z.string() }))
    .optional(),
  toolCallId: z.string().min(1).optional(),
  toolName: z.string().optional(),
  modelName: z.string().optional(),
  reasoning: z.string().optional(),
  usage: z
    .looseObject({
      inputTokens: z.number().optional(),
      outputTokens: z.number().optional(),
      totalTokens: z.number().optional(),
    })
    .optional(),
  meta: jsonObject.optional(),
});
