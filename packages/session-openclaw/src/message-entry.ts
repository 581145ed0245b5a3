import type { ContentPart, JsonValue, Message, Role, ToolCall, Usage } from '@x/session-store';
import { isObject, type JsonObject, textOf } from './json-object.js';

/*
 * An entry `message` of a transcript as a message, and back. What OpenClaw says and we have no word for stays in the
 * line that the message keeps (see line-template.ts).
 */

/** Rows of what was sent to a channel beside the answer: no call of a model stands behind them. */
const MIRROR = 'delivery-mirror';

export type DecodedMessage = Omit<Message, 'id'> & { readonly createdAt: string };

/** True for entries that are messages here. */
export function isMessage({ type, value }: { readonly type: string; readonly value: JsonObject }): boolean {
  return type === 'message'
    ? isObject(value.message)
    : type === 'custom_message' && value.customType === SYSTEM;
}

export function decodeMessage(entry: JsonObject, fallbackTime: string): DecodedMessage {
  const message = isObject(entry.message) ? entry.message : { role: 'system', content: entry.content ?? '' };
  const written = textOf(message.role);
  const blocks = blocksOf(message.content);
  const content = contentOf(written, message, blocks);
  const media = blocks.map(mediaOf).filter((reference) => reference !== undefined);
  const toolCalls = blocks.filter(({ type }) => type === 'toolCall').map(decodeCall);
  const reasoning = blocks
    .filter(({ type }) => type === 'thinking')
    .map((block) => textOf(block.thinking))
    .join('\n');
  const isMirror = message.model === MIRROR;
  const usage = isObject(message.usage) && !isMirror ? decodeUsage(message.usage) : undefined;
  const meta = metaOf(written, message, isMirror);
  return {
    role: roleOf(written),
    content,
    createdAt: timeOf(message.timestamp, entry.timestamp, fallbackTime),
    ...(media.length === 0 ? {} : { media }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(written === 'toolResult' ? toolOf(message) : {}),
    ...(textOf(message.model) === '' || isMirror ? {} : { modelName: textOf(message.model) }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

function roleOf(written: string): Role {
  if (written === 'assistant' || written === 'system') return written;
  return written === 'toolResult' ? 'tool' : 'user';
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(content) ? (content as readonly JsonValue[]).filter(isObject) : [];
}

function contentOf(
  role: string,
  message: JsonObject,
  blocks: readonly JsonObject[],
): string | readonly ContentPart[] {
  if (typeof message.content === 'string') return message.content;
  if (role === 'bashExecution') return `$ ${textOf(message.command)}\n${textOf(message.output)}`;
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));
  return texts.length > 1 ? texts.map((text) => ({ type: 'text', text })) : (texts[0] ?? '');
}

function mediaOf(block: JsonObject): string | undefined {
  if (block.type === 'text' || block.type === 'thinking' || block.type === 'toolCall') return undefined;
  const { data, url } = block;
  if (typeof data === 'string') return `data:${textOf(block.mimeType)};base64,${data}`;
  return typeof url === 'string' ? url : undefined;
}

function decodeCall(block: JsonObject, index: number): ToolCall {
  const { arguments: given = {} } = block;
  return {
    id: textOf(block.id) || `call-${index + 1}`,
    name: textOf(block.name) || 'unknown',
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
}

function toolOf(message: JsonObject): Pick<Message, 'toolCallId' | 'toolName'> {
  const [toolCallId, toolName] = [textOf(message.toolCallId), textOf(message.toolName)];
  return { ...(toolCallId === '' ? {} : { toolCallId }), ...(toolName === '' ? {} : { toolName }) };
}

function decodeUsage({ input, output, totalTokens }: JsonObject): Usage {
  return {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
    ...(typeof totalTokens === 'number' ? { totalTokens } : {}),
  };
}

function metaOf(role: string, message: JsonObject, isMirror: boolean): { [name: string]: JsonValue } {
  const { stopReason, errorMessage, isError } = message;
  const isStopped = stopReason === 'error' || stopReason === 'aborted';
  const isFailed = role === 'toolResult' && isError === true;
  return {
    // A hook or another program speaks, not a person.
    ...(roleOf(role) === 'user' && role !== 'user' ? { origin: 'system' } : {}),
    ...(isMirror ? { origin: MIRROR } : {}),
    ...(isStopped ? { status: stopReason === 'error' ? 'failed' : 'interrupted' } : {}),
    ...(isFailed ? { status: 'failed' } : {}),
    ...(textOf(errorMessage) === '' ? {} : { error: textOf(errorMessage) }),
  };
}

function timeOf(
  milliseconds: JsonValue | undefined,
  written: JsonValue | undefined,
  fallback: string,
): string {
  return isoTime(milliseconds) ?? isoTime(written) ?? fallback;
}

/** A time of OpenClaw's, milliseconds or text, as ISO 8601 in UTC; undefined where it is none. */
export function isoTime(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return undefined;
  const time = new Date(value);
  const year = time.getUTCFullYear();
  return Number.isNaN(time.getTime()) || year < 1970 || year > 9999 ? undefined : time.toISOString();
}

/** The values of a message that a line holds as well, as JSON texts in a fixed order. */
export function heldTexts(message: Pick<Message, 'content' | 'media' | 'reasoning' | 'toolCalls'>): string[] {
  const { content, media = [], reasoning, toolCalls = [] } = message;
  const texts = typeof content === 'string' ? [content] : content.map(({ text = '' }) => text);
  const images = media.map((reference) => /^data:[^,]*;base64,(.*)$/s.exec(reference)?.[1] ?? reference);
  return [
    ...[...texts, reasoning ?? '', ...images].map((text) => JSON.stringify(text)),
    ...toolCalls.map(({ arguments: text }) => text),
  ];
}

/** The entry of a message that was never OpenClaw's, or is no longer what it was. */
export function encodeMessage(message: Message & { readonly createdAt: string }): JsonObject {
  const timestamp = Date.parse(message.createdAt);
  const blocks = [...textBlocks(message), ...mediaBlocks(message)];
  if (message.role === 'system') {
    return { type: 'custom_message', customType: SYSTEM, content: blocks, display: false };
  }
  if (message.role === 'tool') {
    const { toolCallId = '', toolName = '', meta } = message;
    const isError = meta?.status === 'failed';
    return entryOf({ role: 'toolResult', toolCallId, toolName, content: blocks, isError, timestamp });
  }
  if (message.role === 'user') return entryOf({ role: 'user', content: blocks, timestamp });
  return entryOf(encodeAnswer(message, blocks, timestamp));
}

/** The custom message in which a system message of ours travels. */
export const SYSTEM = 'holdfast.system';

function entryOf(message: JsonObject): JsonObject {
  return { type: 'message', message };
}

function encodeAnswer(message: Message, blocks: readonly JsonObject[], timestamp: number): JsonObject {
  const { reasoning, toolCalls = [], usage, modelName = 'unknown', meta } = message;
  const status = meta?.status;
  return {
    role: 'assistant',
    content: [
      ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning }]),
      ...blocks,
      ...toolCalls.map(({ id, name, arguments: text }) => ({
        type: 'toolCall',
        id,
        name,
        arguments: parsedArguments(text),
      })),
    ],
    api: 'unknown',
    provider: 'unknown',
    model: modelName,
    usage: {
      input: usage?.inputTokens ?? 0,
      output: usage?.outputTokens ?? 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: usage?.totalTokens ?? 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason:
      status === 'failed'
        ? 'error'
        : typeof status === 'string'
          ? 'aborted'
          : toolCalls.length > 0
            ? 'toolUse'
            : 'stop',
    timestamp,
    ...(typeof meta?.error === 'string' ? { errorMessage: meta.error } : {}),
  };
}

function textBlocks({ content }: Message): readonly JsonObject[] {
  const texts = typeof content === 'string' ? [content] : content.map(({ text = '' }) => text);
  return texts.filter((text) => text !== '').map((text) => ({ type: 'text', text }));
}

function mediaBlocks({ media = [] }: Message): readonly JsonObject[] {
  return media.map((reference) => {
    const [, mimeType = '', data] = /^data:([^;,]*);base64,(.*)$/s.exec(reference) ?? [];
    // Only what lies in the message itself can go along; other media are named.
    return data === undefined ? { type: 'text', text: `[${reference}]` } : { type: 'image', data, mimeType };
  });
}

function parsedArguments(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return { text };
  }
}
