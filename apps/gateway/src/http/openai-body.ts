import { z } from 'zod';

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
});
const content = z.union([z.string(), z.array(part)]).nullish();
const message = z.looseObject({ role: z.string(), content });

/** `POST /v1/chat/completions`, as far as it means something here; what else a client sends is left alone. */
export const completionBody = z.looseObject({
  model: z
    .string()
    .max(200)
    .optional()
    .describe('The agent that answers, where the session is new; any other name is left alone.'),
  messages: z
    .array(message)
    .min(1)
    .describe('The last one of the user is what is said: the session remembers the others.'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z.string().max(1024).nullish().describe('Names the session, where no header does.'),
});

/** `POST /v1/responses`. */
export const responseBody = z.looseObject({
  model: z
    .string()
    .max(200)
    .optional()
    .describe('The agent that answers, where the session is new; any other name is left alone.'),
  input: z.union([z.string(), z.array(z.looseObject({ role: z.string().optional(), content }))]),
  stream: z.boolean().nullish(),
  user: z.string().max(1024).nullish().describe('Names the session, where no header does.'),
});

export interface Said {
  readonly text: string;
  readonly media: readonly string[];
}

/** What the person says: the last message of the user. Undefined where there is none. */
export function lastSaid(
  messages: readonly { readonly role?: string | undefined; readonly content?: z.output<typeof content> }[],
): Said | undefined {
  const last = messages.findLast(({ role = 'user' }) => role === 'user');
  if (last?.content === undefined || last.content === null) return undefined;
  if (typeof last.content === 'string') return { text: last.content, media: [] };
  return {
    text: last.content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'),
    media: last.content.flatMap(({ image_url: image }) => {
      if (image === undefined) return [];
      return [typeof image === 'string' ? image : image.url];
    }),
  };
}
