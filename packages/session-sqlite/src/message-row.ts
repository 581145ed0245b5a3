import { type Message, messageText, type Role, type StoredMessage, type ToolCall } from '@x/session-store';
import { idOf, isWellFormed, storedId, wellFormed } from './stored-text.js';
import { isoOf, unixOf } from './unix-time.js';

/** The columns of a message that is read, in this order, from `messages m`. */
export const messageColumns = `coalesce(m.message_id, m.id), m.seq, m.role, m.content, m.created_at, m.media_refs_json,
  m.tool_call_id, m.tool_name, m.tool_calls_json, m.model_name, m.reasoning, m.usage_json, m.meta_json,
  m.content_json, m.unknown_json`;

type Text = string | null;
export type MessageRow = readonly [
  id: string,
  seq: number,
  role: string,
  content: string,
  createdAt: number,
  mediaJson: string,
  toolCallId: Text,
  toolName: Text,
  toolCallsJson: Text,
  modelName: Text,
  reasoning: Text,
  usageJson: Text,
  metaJson: Text,
  contentJson: Text,
  unknownJson: Text,
];

/** The columns of a message that is written, in the order of `messageValues`. */
export const writtenColumns =
  'id, session_id, message_id, seq, role, content, created_at, media_refs_json, tool_call_id, tool_name, tool_calls_json, model_name, reasoning, usage_json, meta_json, content_json, unknown_json';

const known: { readonly [name in keyof StoredMessage]-?: true } = {
  id: true,
  seq: true,
  role: true,
  content: true,
  createdAt: true,
  media: true,
  toolCalls: true,
  toolCallId: true,
  toolName: true,
  modelName: true,
  reasoning: true,
  usage: true,
  meta: true,
};

/**
 * A message as columns. PicoBot's `messages.id` is unique in the whole file, ours within a session: the caller's id
 * stands in `message_id`. What a column cannot say exactly stands in `unknown_json`, with the fields of others.
 */
export function messageValues(
  sessionId: string,
  sessionNumber: number,
  message: StoredMessage,
): readonly (string | number | null)[] {
  let exact: { [name: string]: unknown } | undefined;
  const keep = (name: string, value: unknown) => {
    exact ??= {};
    exact[name] = value;
  };
  for (const name of Object.keys(message)) {
    if (!(name in known)) keep(name, (message as unknown as { [name: string]: unknown })[name]);
  }
  const text = (name: keyof Message, value: string | undefined): Text => {
    if (value === undefined) return null;
    if (!isWellFormed(value)) keep(name, value);
    return wellFormed(value);
  };
  const { content, media, toolCalls, usage, meta } = message;
  const createdAt = unixOf(message.createdAt);
  if (isoOf(createdAt) !== message.createdAt) keep('createdAt', message.createdAt);
  if (media?.length === 0) keep('media', media);
  if (toolCalls?.some((call) => 'arguments_text' in call)) keep('toolCalls', toolCalls);
  const isPlain = typeof content === 'string' && isWellFormed(content);
  return [
    `hf-${sessionNumber}-${message.seq}`,
    sessionId,
    storedId(message.id),
    message.seq,
    message.role,
    isPlain ? content : wellFormed(messageText(message)),
    createdAt,
    media === undefined || media.length === 0 ? '[]' : JSON.stringify(media),
    text('toolCallId', message.toolCallId),
    text('toolName', message.toolName),
    toolCalls === undefined ? null : JSON.stringify(toolCalls.map(callForPicobot)),
    text('modelName', message.modelName),
    text('reasoning', message.reasoning),
    usage === undefined ? null : JSON.stringify(usage),
    meta === undefined ? null : JSON.stringify(meta),
    isPlain ? null : JSON.stringify(content),
    exact === undefined ? null : JSON.stringify(exact),
  ];
}

const roles: ReadonlySet<string> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

export function messageOf(row: MessageRow): StoredMessage {
  const [id, seq, role, content, createdAt, mediaJson, toolCallId, toolName, toolCallsJson] = row;
  const [, , , , , , , , , modelName, reasoning, usageJson, metaJson, contentJson, unknownJson] = row;
  const message: { -readonly [name in keyof StoredMessage]: StoredMessage[name] } = {
    id: idOf(id),
    seq,
    role: roles.has(role) ? (role as Role) : 'system',
    content: contentJson === null ? content : JSON.parse(contentJson),
    createdAt: isoOf(createdAt),
  };
  if (mediaJson !== '[]') message.media = JSON.parse(mediaJson);
  if (toolCallsJson !== null) message.toolCalls = JSON.parse(toolCallsJson).map(callFromPicobot);
  if (toolCallId !== null) message.toolCallId = toolCallId;
  if (toolName !== null) message.toolName = toolName;
  if (modelName !== null) message.modelName = modelName;
  if (reasoning !== null) message.reasoning = reasoning;
  if (usageJson !== null) message.usage = JSON.parse(usageJson);
  if (metaJson !== null) message.meta = JSON.parse(metaJson);
  return unknownJson === null ? message : { ...message, ...JSON.parse(unknownJson) };
}

/** PicoBot keeps the arguments of a call as an object; the model's own text stands beside where it differs. */
function callForPicobot(call: ToolCall): object {
  const { id, name, arguments: text, ...rest } = call;
  const parsed = parsedObject(text);
  if (parsed === undefined) return { id, name, arguments: text, ...rest };
  return JSON.stringify(parsed) === text
    ? { id, name, arguments: parsed, ...rest }
    : { id, name, arguments: parsed, arguments_text: text, ...rest };
}

function callFromPicobot(call: {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly arguments_text?: string;
}): ToolCall {
  const { id, name, arguments: parsed, arguments_text: text, ...rest } = call;
  return {
    id,
    name,
    arguments: text ?? (typeof parsed === 'string' ? parsed : JSON.stringify(parsed ?? {})),
    ...rest,
  };
}

function parsedObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
