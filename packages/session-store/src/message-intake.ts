import { InvalidMessage, MessageTooLarge } from './errors.js';
import { type Message, messageSchema } from './message.js';

/**
 * Messages from a caller, checked and copied, so that nothing the caller does later changes them. Times become
 * UTC with milliseconds. Throws `InvalidMessage` with the place and what was expected, or `MessageTooLarge`.
 */
export function takeMessages(
  key: string,
  messages: readonly Message[],
  maxBytes: number,
): readonly Message[] {
  if (!Array.isArray(messages)) {
    throw new InvalidMessage(`Session "${key}": messages: expected an array.`, { key });
  }
  return messages.map((message, index) => takeMessage(key, message, index, maxBytes));
}

function takeMessage(key: string, message: Message, index: number, maxBytes: number): Message {
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = [`messages[${index}]`, ...(issue?.path ?? [])].join('.');
    throw new InvalidMessage(`Session "${key}": ${path}: ${issue?.message ?? 'not a message'}.`, {
      key,
      cause: parsed.error,
    });
  }
  // `undefined` members would differ from absent ones after a round trip through JSON.
  const { seq: _numberedByTheStore, ...taken } = Object.fromEntries(
    Object.entries(parsed.data).filter(([, value]) => value !== undefined),
  ) as unknown as Message & { readonly seq?: number };
  const bytes = jsonBytes(taken, maxBytes);
  if (bytes > maxBytes) {
    throw new MessageTooLarge(
      `Session "${key}": messages[${index}] takes ${bytes} bytes, at most ${maxBytes} are stored. Shorten it or keep the bulk elsewhere.`,
      { key },
    );
  }
  return taken.createdAt === undefined
    ? taken
    : { ...taken, createdAt: new Date(taken.createdAt).toISOString() };
}

/** The size as JSON in UTF-8, or 0 where a glance shows that it cannot pass the limit. */
function jsonBytes(message: Message, maxBytes: number): number {
  const onlyText = typeof message.content === 'string' && Object.keys(message).length <= 4;
  // Escapes make six bytes of one code unit at worst.
  if (onlyText && (message.content.length + 4096) * 6 < maxBytes) return 0;
  return new TextEncoder().encode(JSON.stringify(message)).length;
}
