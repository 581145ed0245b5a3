import { z } from 'zod';

const words = z.string().min(1).max(1_000_000);
const name = z.string().min(1).max(1024);

/**
 * Where a job speaks: a session by its key, alias or name, or a chat as a channel would name it. Unknown members are
 * kept, and mean nothing here.
 */
export const targetSchema = z.looseObject({
  session: name.optional().describe('A session: its key, an alias, or its name.'),
  channel: name.optional(),
  chat_id: z.string().max(1024).optional(),
  chat_type: z.string().max(64).optional(),
  account: z.string().max(1024).optional(),
  topic_id: z.string().max(1024).optional(),
  space_id: z.string().max(1024).optional(),
  space_type: z.string().max(64).optional(),
});
export type JobTarget = z.output<typeof targetSchema>;

const eventSchema = z.looseObject({ event: name });
const outboundSchema = z.looseObject({ content: words });
const agentTaskSchema = z.looseObject({
  prompt: words.describe('Said to the agent as a message of its user.'),
  fresh_session: z.boolean().optional().describe('Begins a new segment first.'),
  system_prompt: words.optional().describe('Instructions that come before the prompt.'),
  sender_id: name.optional().describe('Who seems to speak.'),
  metadata: z.record(z.string(), z.json()).optional().describe('Kept with the message.'),
});

/** What a job does, by its kind. */
export const payloadSchemas = {
  internal_event: eventSchema,
  outbound_message: outboundSchema,
  agent_task: agentTaskSchema,
} as const;

export type JobKind = keyof typeof payloadSchemas;

/** A job's work, read from what is stored. */
export type Task = {
  [Kind in JobKind]: {
    readonly kind: Kind;
    readonly target: JobTarget;
    readonly payload: z.output<(typeof payloadSchemas)[Kind]>;
  };
}[JobKind];
