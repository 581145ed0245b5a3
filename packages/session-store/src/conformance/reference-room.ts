import type { JsonValue, Message, StoredMessage } from '../message.js';
import type { Bin, Segment, SessionMeta } from '../session-meta.js';

/** The record, but for the revision: of that the contract only says that it rises. */
export type ModelMeta = Omit<SessionMeta, 'revision'>;

/** One session of the reference model: its lines, and what is counted and noted as they come. */
export interface Room {
  readonly key: string;
  title?: string | undefined;
  aliases: string[];
  summary: string;
  lines: StoredMessage[];
  lastSeq: number;
  cutoff: number;
  userTurns: number;
  promptInjections: number;
  segments: Segment[];
  attributes: { [name: string]: JsonValue };
  bin?: Omit<Bin, 'count'> | undefined;
  createdAt: string;
  updatedAt: string;
  activeAt: string;
  interactionAt?: string | undefined;
  segmentStartedAt?: string | undefined;
  archivedAt?: string | undefined;
  deletedAt?: string | undefined;
}

export const isPrompt = (message: Message) => message.meta?.origin === 'agent-prompt';

/** Lines that are not in the bin. */
export const visible = (room: Room) => room.lines.filter(({ seq }) => seq > (room.bin?.throughSeq ?? 0));
export const active = (room: Room) => visible(room).filter(({ seq }) => seq > room.cutoff);

export function metaOf(room: Room): ModelMeta {
  const { lines, bin, ...rest } = room;
  const meta = {
    ...rest,
    agentId: 'main',
    channel: 'web',
    messageCount: visible(room).length,
    activeCount: active(room).length,
    bin: bin && { ...bin, count: lines.length - visible(room).length },
  };
  return structuredClone(
    Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined)),
  ) as unknown as ModelMeta;
}

export function hear(room: Room, message: Message, id: string, at: string): StoredMessage {
  if (isPrompt(message) && active(room).length > 0) room.promptInjections += 1;
  if (active(room).length === 0) room.segmentStartedAt = at;
  room.lastSeq += 1;
  const { seq: _numberedAnew, ...given } = message as Message & { seq?: number };
  const line = { ...given, id, seq: room.lastSeq, createdAt: message.createdAt ?? at };
  room.lines.push(line);
  room.activeAt = at;
  room.updatedAt = at;
  room.archivedAt = undefined;
  if (message.role === 'user') room.userTurns += 1;
  if (message.role === 'user' && message.meta?.origin === undefined) room.interactionAt = at;
  return line;
}

/** So many of the newest active lines that `count` of them are words. */
export function newest(room: Room, count: number): StoredMessage[] {
  const words = active(room).filter(
    ({ role, content, toolCalls = [] }) => role !== 'assistant' || content !== '' || toolCalls.length > 0,
  );
  if (count === 0) return [];
  const first = words.at(-count)?.seq ?? 0;
  return active(room).filter(({ seq }) => seq >= first);
}

/** What a session that begins anew leaves in its bin. */
export function binOf(old: Room, at: string): Omit<Bin, 'count'> {
  const { summary, lastSeq, deletedAt: endedAt = at } = old;
  const title = old.title;
  return {
    throughSeq: lastSeq,
    deletedAt: endedAt,
    ...(title === undefined ? {} : { title }),
    segments: [
      ...(old.bin?.segments ?? []),
      ...old.segments,
      { lastSeq, endedAt, reason: 'deleted', ...(summary === '' ? {} : { summary }) },
    ],
    attributes: { ...old.bin?.attributes, ...old.attributes },
  };
}

/** The programs' messages have these fields only. */
export function isSaidAlready(message: Message, line: StoredMessage | undefined): boolean {
  return (
    line !== undefined &&
    message.role === line.role &&
    message.content === line.content &&
    message.meta?.origin === line.meta?.origin &&
    (message.id ?? line.id) === line.id &&
    (message.createdAt ?? line.createdAt) === line.createdAt
  );
}
