import { sessionUsage, turnState } from '@x/agent-runtime';
import { encodeScope } from '@x/session-scope';
import { type JsonValue, messageText, type SessionMeta, type StoredMessage } from '@x/session-store';
import { isPinned, type ResetPolicy, resetRule, staleReason } from '@x/session-store/policies';
import { noticeText, shownText } from './chat-commands/notice.js';
import { viewUsage } from './usage-view.js';

/** How the API and the command line write sessions and messages: snake_case, times in UTC, absent as null. */
export interface SessionView {
  readonly key: string;
  readonly title: string | null;
  readonly channel: string;
  readonly agent_id: string;
  readonly message_count: number;
  readonly active_count: number;
  readonly summary: string;
  readonly aliases: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived: boolean;
  readonly deleted: boolean;
}

export type TurnView = 'running' | 'interrupted' | 'idle';

export interface LiveSessionView extends SessionView {
  readonly turn: TurnView;
  readonly preview?: string;
}

export interface MessageView {
  readonly seq: number;
  readonly id: string;
  readonly role: StoredMessage['role'];
  readonly content: JsonValue;
  readonly created_at: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly model_name?: string;
  readonly reasoning?: string;
  readonly media?: readonly string[];
  readonly usage?: JsonValue;
  readonly meta?: JsonValue;
}

/** The newest messages that tell a session's state and preview. */
export const TAIL_MESSAGES = 6;
const PREVIEW_LENGTH = 160;

export function viewSession(meta: SessionMeta): SessionView {
  return {
    key: meta.key,
    title: meta.title ?? null,
    channel: meta.channel,
    agent_id: meta.agentId,
    message_count: meta.messageCount,
    active_count: meta.activeCount,
    summary: meta.summary,
    aliases: meta.aliases,
    created_at: meta.createdAt,
    updated_at: meta.updatedAt,
    archived: meta.archivedAt !== undefined,
    deleted: meta.deletedAt !== undefined,
  };
}

/** With what its newest messages (in seq order) show: whether a turn was cut off, and the last words. */
export function viewLiveSession(
  meta: SessionMeta,
  tail: readonly StoredMessage[],
  isRunning: boolean,
): LiveSessionView {
  const spoken = tail.findLast(
    (message) =>
      (message.role === 'user' || message.role === 'assistant') && messageText(message).trim() !== '',
  );
  return {
    ...viewSession(meta),
    turn: isRunning ? 'running' : turnOf(tail),
    ...(spoken === undefined ? {} : { preview: previewOf(messageText(spoken)) }),
  };
}

export function viewSessionDetails(
  meta: SessionMeta,
  reset: ResetPolicy,
  now: Date,
): { readonly [name: string]: JsonValue } {
  const usage = sessionUsage(meta);
  return {
    pinned: isPinned(meta),
    stale: staleReason(meta, resetRule(reset, meta), now) ?? null,
    scope: meta.scope === undefined ? null : (encodeScope(meta.scope) as unknown as JsonValue),
    segments: meta.segments.map(({ lastSeq, endedAt, reason, summary }) => ({
      last_seq: lastSeq,
      ended_at: endedAt,
      reason: reason ?? null,
      summary: summary ?? null,
    })),
    usage: usage === undefined ? null : (viewUsage(usage) as unknown as JsonValue),
    last_seq: meta.lastSeq,
    first_active_seq: meta.cutoff + 1,
  };
}

export function viewMessage(message: StoredMessage): MessageView {
  const { usage } = message;
  return {
    seq: message.seq,
    id: message.id,
    role: message.role,
    content: noticeText(message) === undefined ? viewContent(message.content) : shownText(message),
    created_at: message.createdAt,
    ...(message.toolCalls === undefined
      ? {}
      : {
          tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
            id,
            name,
            arguments: text,
          })),
        }),
    ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
    ...(message.toolName === undefined ? {} : { tool_name: message.toolName }),
    ...(message.modelName === undefined ? {} : { model_name: message.modelName }),
    ...(message.reasoning === undefined ? {} : { reasoning: message.reasoning }),
    ...(message.media === undefined ? {} : { media: message.media }),
    ...(usage === undefined ? {} : { usage: viewUsage(usage) as unknown as JsonValue }),
    ...(message.meta === undefined ? {} : { meta: message.meta }),
  };
}

function viewContent(content: StoredMessage['content']): JsonValue {
  if (typeof content === 'string') return content;
  return content.map(({ mediaType, ...part }) => ({
    ...(part as { readonly [name: string]: JsonValue }),
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
  }));
}

function turnOf(tail: readonly StoredMessage[]): TurnView {
  const state = turnState(tail);
  return state === 'unfinished' || state === 'interrupted' ? 'interrupted' : 'idle';
}

function previewOf(text: string): string {
  const line = text.trim().replace(/\s+/gu, ' ');
  const points = [...line];
  return points.length <= PREVIEW_LENGTH ? line : `${points.slice(0, PREVIEW_LENGTH - 1).join('')}…`;
}
