import { type JsonValue, type Message, messageSchema, type SessionBackend } from '@x/session-store';
import type { RuntimeLogger } from './runtime-logger.js';

/**
 * A message that was acknowledged while a turn ran, and is not yet part of the history. It lies among the session's
 * attributes under its own name, so that it is as safe as the history itself, in any store.
 */
export interface WaitingMessage extends Message {
  readonly id: string;
}

const PREFIX = 'waiting:';

/** To be merged into the attributes. `order` rises from message to message. */
export function waitingAttributes(
  messages: readonly { readonly message: WaitingMessage; readonly order: number }[],
): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(
    messages.map(({ message, order }) => [
      PREFIX + message.id,
      { order, message: message as unknown as JsonValue },
    ]),
  );
}

/** To be called when it is part of the history. Never rejects: whoever finds it waiting again finds its id there, too. */
export async function forgetWaiting(
  place: {
    readonly backend: SessionBackend;
    readonly sessionKey: string;
    readonly logger: RuntimeLogger;
  },
  id: string,
): Promise<void> {
  const { backend, sessionKey, logger } = place;
  try {
    await backend.ensure(sessionKey, { attributes: { [PREFIX + id]: null } });
  } catch (error) {
    logger.warn({ sessionKey, error }, 'A message that has joined a turn is still marked as waiting.');
  }
}

/** Those that wait, in the order in which they came. */
export function waitingMessages(attributes: {
  readonly [name: string]: JsonValue;
}): readonly WaitingMessage[] {
  const found: { readonly order: number; readonly message: WaitingMessage }[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(PREFIX) || typeof value !== 'object' || value === null) continue;
    const { order, message } = value as { readonly [field: string]: JsonValue };
    const parsed = messageSchema.safeParse(message);
    const id = name.slice(PREFIX.length);
    if (typeof order === 'number' && parsed.success) {
      found.push({ order, message: { ...(message as unknown as Message), id } });
    }
  }
  return found.toSorted((first, second) => first.order - second.order).map(({ message }) => message);
}
