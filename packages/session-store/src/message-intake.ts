import { InvalidMessage, MessageTooLarge } from './errors.js';
import { jsonCopy } from './json-copy.js';
import { type Message, messageSchema, type Role } from './message.js';

/**
 * Messages from a caller, checked and copied, so that nothing the caller does later changes them, and nothing the
 * store does reaches the caller. Times become UTC with milliseconds. Throws `InvalidMessage` with the place and what
 * was expected, or `MessageTooLarge`.
 */
export function takeMessages(
  key: string,
  messages: readonly Message[],
  maxBytes: number,
): readonly Message[] {
  if (!Array.isArray(messages)) {
    throw new InvalidMessage(`Session "${key}": messages: expected an array.`, { key });
  }
  return Array.from(
    messages,
    (message, index) =>
      plainMessage(message, maxBytes) ?? takeAnyMessage(key, message, `messages[${index}]`, maxBytes),
  );
}

/** One message; `place` is how a sentence calls it. */
export function takeMessage(key: string, message: unknown, place: string, maxBytes: number): Message {
  return plainMessage(message, maxBytes) ?? takeAnyMessage(key, message, place, maxBytes);
}

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

/** Words and nothing else: most messages, checked by hand. Undefined where that does not settle it. */
function plainMessage(message: unknown, maxBytes: number): Message | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (Object.getPrototypeOf(message) !== Object.prototype || Symbol.toStringTag in message) return undefined;
  let id: string | undefined;
  let role: Role | undefined;
  let content: string | undefined;
  for (const name of Object.keys(message)) {
    const value: unknown = message[name as keyof typeof message];
    if (typeof value !== 'string') return undefined;
    if (name === 'id' && value !== '' && value.length <= 1024) id = value;
    else if (name === 'role' && roles.has(value)) role = value as Role;
    else if (name === 'content') content = value;
    else return undefined;
  }
  if (role === undefined || content === undefined) return undefined;
  // Escapes make six bytes of one code unit at worst.
  if (((id ?? '').length + content.length) * 6 + 64 > maxBytes) return undefined;
  return id === undefined ? { role, content } : { id, role, content };
}

function takeAnyMessage(key: string, message: unknown, place: string, maxBytes: number): Message {
  const { seq: _numberedByTheStore, ...taken } = checked(key, message, place);
  const bytes = jsonBytes(taken, maxBytes);
  if (bytes > maxBytes) {
    throw new MessageTooLarge(
      `Session "${key}": ${place} takes ${bytes} bytes, at most ${maxBytes} are stored. Shorten it or keep the bulk elsewhere.`,
      { key },
    );
  }
  return taken.createdAt === undefined
    ? taken
    : { ...taken, createdAt: new Date(taken.createdAt).toISOString() };
}

/** The copy itself and not what the schema makes of it, which leaves out members called `__proto__`. */
function checked(key: string, message: unknown, place: string): Message & { readonly seq?: number } {
  const invalid = (problem: string, cause: unknown) =>
    new InvalidMessage(`Session "${key}": ${problem}.`, { key, cause });
  let copy: unknown;
  try {
    copy = jsonCopy(message, place);
  } catch (cause) {
    throw invalid(cause instanceof TypeError ? cause.message : `${place} cannot be read`, cause);
  }
  const parsed = messageSchema.safeParse(copy);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = [place, ...(issue?.path ?? [])].join('.');
    throw invalid(`${path}: ${issue?.message ?? 'not a message'}`, parsed.error);
  }
  return copy as Message;
}

/** The size as JSON in UTF-8, or 0 where a glance shows that it cannot pass the limit. */
function jsonBytes(message: Message, maxBytes: number): number {
  // Escapes make six bytes of one code unit at worst; what stands around a member is less than 8.
  let atMost = 2;
  for (const [name, value] of Object.entries(message)) {
    if (typeof value !== 'string') return exactBytes(message);
    atMost += (name.length + value.length) * 6 + 8;
  }
  return atMost < maxBytes ? 0 : exactBytes(message);
}

function exactBytes(message: Message): number {
  return new TextEncoder().encode(JSON.stringify(message)).length;
}
