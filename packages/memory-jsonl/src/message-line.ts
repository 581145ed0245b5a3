import { isUtf8 } from 'node:buffer';
import { type JsonValue, type Message, messageText, type Role, type StoredMessage } from '@x/session-store';

/*
 * One message as one line: PicoClaw's spelling, with our own fields beside it. Lines of ours begin with
 * `{"seq":N,` (and `"more":M,` where M further lines belong to the same append), so that a walk through the file
 * can number them without parsing.
 */

/** Longer lines make PicoClaw give up on the whole file. */
export const picoclawLineBytes = 10 * 1024 * 1024;

type JsonObject = { [name: string]: JsonValue };

/** The names that the line format gives a meaning to; other programs' fields lie beside them. */
const taken = new Set([
  'seq',
  'more',
  'id',
  'created_at',
  'role',
  'content',
  'media',
  'tool_calls',
  'tool_call_id',
  'tool_name',
  'model_name',
  'reasoning_content',
  'usage',
  'meta',
  'holdfast',
]);
const known = new Set<string>([
  'id',
  'seq',
  'role',
  'content',
  'createdAt',
  'media',
  'toolCalls',
  'toolCallId',
  'toolName',
  'modelName',
  'reasoning',
  'usage',
  'meta',
]);
const roles = new Set<JsonValue | undefined>(['system', 'user', 'assistant', 'tool']);
const goTime = /^\d{4}-\d\d-\d\dT/;
const ownTime =
  /^(?!0001-01-01T00:00:00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const plainTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The line, its end included. `more` lines of the same append follow. */
export function encodeLine(message: StoredMessage, more = 0): string {
  const { content, toolCalls } = message;
  if (typeof content === 'string' && isPlain(message)) return encodePlain(message, content, more);
  const others = Object.entries(message).filter(([name]) => !known.has(name));
  const clash = others.some(([name]) => taken.has(name));
  // What PicoClaw's spelling cannot carry goes along exactly as it is, and wins when read.
  const exact: [string, unknown][] = [];
  if (typeof content !== 'string') exact.push(['content', content]);
  if (!goTime.test(message.createdAt)) exact.push(['createdAt', message.createdAt]);
  if (toolCalls?.some((call) => !fitsPicoclaw(call))) exact.push(['toolCalls', toolCalls]);
  if (clash) exact.push(['fields', Object.fromEntries(others)]);

  const record: { [name: string]: unknown } = {
    seq: message.seq,
    ...(more === 0 ? {} : { more }),
    id: message.id,
    ...(goTime.test(message.createdAt) ? { created_at: message.createdAt } : {}),
    role: message.role,
    content: typeof content === 'string' ? content : messageText(message),
    ...(message.modelName === undefined ? {} : { model_name: message.modelName }),
    ...(message.media === undefined ? {} : { media: message.media }),
    ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(encodeCall) }),
    ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
    ...(message.toolName === undefined ? {} : { tool_name: message.toolName }),
    ...(message.usage === undefined ? {} : { usage: message.usage }),
    ...(message.meta === undefined ? {} : { meta: message.meta }),
    ...(exact.length === 0 ? {} : { holdfast: Object.fromEntries(exact) }),
    ...(clash ? {} : Object.fromEntries(others)),
  };
  const line = JSON.stringify(record);
  if (typeof content === 'string' || line.length * 3 < picoclawLineBytes) return `${line}\n`;
  // The text stands twice in the line of typed parts: too dear where it is that long.
  return `${JSON.stringify({ ...record, content: '' })}\n`;
}

const plain = new Set(['id', 'seq', 'role', 'content', 'createdAt']);

/** True for words and nothing else: most messages, worth a way of their own. */
function isPlain(message: StoredMessage): boolean {
  for (const name in message) if (!plain.has(name)) return false;
  return plainTime.test(message.createdAt);
}

function encodePlain({ seq, id, createdAt, role }: StoredMessage, content: string, more: number): string {
  const tie = more === 0 ? '' : `"more":${more},`;
  return `{"seq":${seq},${tie}"id":${quoted(id)},"created_at":"${createdAt}","role":"${role}","content":${quoted(content)}}\n`;
}

const unescaped = /^[ !#-[\]-~]*$/;

/** As `JSON.stringify` does it, which takes twice as long to find that nothing is to be escaped. */
function quoted(text: string): string {
  return unescaped.test(text) ? `"${text}"` : JSON.stringify(text);
}

function encodeCall(call: {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}): unknown {
  const { id, name, arguments: text, ...rest } = call;
  const { type = 'function', function: inner, ...others } = rest as JsonObject;
  return { id, type, function: { name, arguments: text, ...(isObject(inner) ? inner : {}) }, ...others };
}

/** True where the call comes back as it is from PicoClaw's spelling. */
function fitsPicoclaw(call: object): boolean {
  const { type, function: inner } = call as JsonObject;
  if (type === 'function' || (type !== undefined && typeof type !== 'string')) return false;
  return (
    inner === undefined ||
    (isObject(inner) && !('name' in inner) && !('arguments' in inner) && Object.keys(inner).length > 0)
  );
}

export interface LineHead {
  /** The seq that the line carries itself. */
  readonly seq: number | undefined;
  /** How many further lines belong to the same append. */
  readonly more: number;
}

const bare: LineHead = { seq: undefined, more: 0 };

/** What a walk needs to know of a line; cheap for lines of ours. Also tells of lines that are cut behind their head. */
export function headOf(line: Buffer): LineHead {
  const head = /^\{"seq":(\d{1,16}),(?:"more":(\d{1,9}),)?/.exec(line.toString('latin1', 0, 48));
  if (head !== null && Number.isSafeInteger(Number(head[1]))) {
    return { seq: Number(head[1]), more: Number(head[2] ?? 0) };
  }
  if (!line.includes('"seq"')) return bare;
  const record = parseObject(line);
  const seq = record?.seq;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return bare;
  const more = record?.more;
  return { seq, more: typeof more === 'number' && Number.isSafeInteger(more) && more > 0 ? more : 0 };
}

/** The bytes of a line of ours without the mark that ties it to the lines behind it. */
export function untied(line: Buffer, head: LineHead): Buffer {
  if (head.more === 0) return line;
  const start = Buffer.from(`{"seq":${head.seq},`);
  const tied = Buffer.from(`{"seq":${head.seq},"more":${head.more},`);
  if (line.subarray(0, tied.length).equals(tied)) return Buffer.concat([start, line.subarray(tied.length)]);
  const { more: _mark, ...record } = parseObject(line) ?? {};
  return Buffer.from(JSON.stringify(record));
}

export interface DecodedLine {
  readonly message: StoredMessage | undefined;
  /** True where bytes had to be replaced or passed over to read it. */
  readonly damaged: boolean;
}

/**
 * The message of a line whose place in the session is `seq`. A line without an id or a time of its own gets ones
 * that are the same at every reading: `line-<seq>` and `untimedAt`.
 */
export function decodeLine(line: Buffer, seq: number, untimedAt: string): DecodedLine {
  const marked = line.length > 2 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
  const text = line.toString('utf8', marked ? 3 : 0);
  const record = parseObject(text);
  if (record === undefined) return { message: undefined, damaged: false };
  return {
    message: decodeRecord(record, seq, untimedAt),
    damaged: marked || (text.includes('\uFFFD') && !isUtf8(line)),
  };
}

/** The message of a line of ours, which carries its seq; undefined where it is none, or not read as easily. */
export function decodeOwnLine(text: string, untimedAt: string): StoredMessage | undefined {
  const record = parseObject(text);
  if (record === undefined) return undefined;
  const { seq, more, id, role, content, created_at: createdAt } = record;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  if (
    Object.keys(record).length === (more === undefined ? 5 : 6) &&
    typeof id === 'string' &&
    id !== '' &&
    typeof content === 'string' &&
    typeof createdAt === 'string' &&
    ownTime.test(createdAt) &&
    roles.has(role)
  )
    return { id, role: role as Role, content, createdAt, seq };
  return decodeRecord(record, seq, untimedAt);
}

function decodeRecord(record: JsonObject, seq: number, untimedAt: string): StoredMessage | undefined {
  const { role, content, media, tool_calls: calls, meta, usage } = record;
  if (!roles.has(role)) return undefined;
  if (typeof content === 'string' && isPlainRecord(record))
    return decodePlain(record, content, seq, untimedAt);
  if (content !== undefined && content !== null && typeof content !== 'string' && !isParts(content))
    return undefined;
  if (!isAbsentOr(Array.isArray, media) || !isAbsentOr(Array.isArray, calls)) return undefined;

  const holdfast = record.holdfast;
  const exact: JsonObject = isObject(holdfast) ? holdfast : {};
  const time = exact.createdAt ?? record.created_at;
  const others: JsonObject = isObject(exact.fields)
    ? exact.fields
    : Object.fromEntries(Object.entries(record).filter(([name]) => !taken.has(name)));
  const texts = (media as JsonValue[] | undefined)?.filter((entry) => typeof entry === 'string');
  const message: Message & { readonly id: string; readonly createdAt: string } = {
    id: typeof record.id === 'string' && record.id !== '' ? record.id : derivedId(seq),
    role: role as Role,
    content: (isParts(exact.content) ? exact.content : (content ?? '')) as Message['content'],
    createdAt: utcTime(time) ?? untimedAt,
    ...(texts === undefined ? {} : { media: texts }),
    ...(calls === undefined || calls === null
      ? {}
      : { toolCalls: decodeCalls(exact.toolCalls, calls as JsonValue[]) }),
    ...(record.tool_call_id === '' ? {} : textField(record, 'tool_call_id', 'toolCallId')),
    ...textField(record, 'tool_name', 'toolName'),
    ...textField(record, 'model_name', 'modelName'),
    ...textField(record, 'reasoning_content', 'reasoning'),
    ...(isObject(usage) ? { usage } : {}),
    ...(isObject(meta) ? { meta } : {}),
    ...others,
  };
  return { ...message, seq };
}

const plainFields = new Set(['seq', 'more', 'id', 'created_at', 'role', 'content']);

/** True for words and nothing else. */
function isPlainRecord(record: JsonObject): boolean {
  for (const name in record) if (!plainFields.has(name)) return false;
  return true;
}

function decodePlain(record: JsonObject, content: string, seq: number, untimedAt: string): StoredMessage {
  const { id, role, created_at: time } = record;
  return {
    id: typeof id === 'string' && id !== '' ? id : derivedId(seq),
    role: role as Role,
    content,
    createdAt: utcTime(time) ?? untimedAt,
    seq,
  };
}

/** The id of a line that carries none. */
export function derivedId(seq: number): string {
  return `line-${seq}`;
}

/** A raw line of another program as a line that carries its own seq, id and time; undefined where it is no message. */
export function numbered(line: Buffer, seq: number, untimedAt: string): Buffer | undefined {
  const record = parseObject(line);
  const message = record === undefined ? undefined : decodeRecord(record, seq, untimedAt);
  if (record === undefined || message === undefined) return undefined;
  const { seq: _own, more: _mark, id: _id, created_at: time, ...rest } = record;
  return Buffer.from(
    JSON.stringify({
      seq,
      id: message.id,
      created_at: utcTime(time) === undefined ? untimedAt : time,
      ...rest,
    }),
  );
}

function decodeCalls(
  exact: JsonValue | undefined,
  calls: readonly JsonValue[],
): NonNullable<Message['toolCalls']> {
  return (Array.isArray(exact) ? exact : calls.map(decodeCall)) as unknown as NonNullable<
    Message['toolCalls']
  >;
}

function decodeCall(call: JsonValue, index: number): JsonValue {
  if (!isObject(call)) return { id: `call-${index + 1}`, name: 'unknown', arguments: JSON.stringify(call) };
  const { id, type, function: given, ...others } = call;
  const { name, arguments: argumentsGiven, ...inner } = isObject(given) ? given : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : `call-${index + 1}`,
    name: typeof name === 'string' && name !== '' ? name : 'unknown',
    arguments: typeof argumentsGiven === 'string' ? argumentsGiven : JSON.stringify(argumentsGiven ?? {}),
    ...(type === undefined || type === 'function' ? {} : { type }),
    ...(Object.keys(inner).length === 0 ? {} : { function: inner }),
    ...others,
  };
}

function textField(record: JsonObject, stored: string, name: string): { [name: string]: string } {
  const value = record[stored];
  return typeof value === 'string' ? { [name]: value } : {};
}

/** A time as ISO 8601 in UTC with milliseconds; undefined where it is none, or Go's zero. */
export function utcTime(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.startsWith('0001-01-01T00:00:00')) return undefined;
  // Ours are in this form already; a day that some months lack is left to the calendar.
  if (ownTime.test(value)) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function parseObject(line: Buffer | string): JsonObject | undefined {
  try {
    const value = JSON.parse(typeof line === 'string' ? line : line.toString('utf8')) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isParts(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((part) => isObject(part) && typeof part.type === 'string');
}

function isAbsentOr(test: (value: unknown) => boolean, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || test(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
