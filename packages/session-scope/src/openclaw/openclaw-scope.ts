import type { SessionScope } from '../session-scope.js';
import { formatOpenclawKey, type OpenclawKey, parseOpenclawKey } from './openclaw-key.js';

/**
 * The scope that a key means: the person of a direct chat is the `sender`, a group is the `chat`, its topic or thread
 * the `topic`. Undefined where a key names no conversation of one channel: main and `per-peer` sessions are shared by
 * channels, jobs and sub-agents have none.
 */
export function scopeOfOpenclawKey(text: string): SessionScope | undefined {
  const key = parseOpenclawKey(text);
  if (key?.kind === 'direct' && key.channel !== undefined) {
    const account = key.account ?? 'default';
    return scope(key.agentId, key.channel, account, { sender: key.peerId, ...topic(key.threadId) });
  }
  if (key?.kind !== 'group') return undefined;
  const chat = `${key.chatType}:${key.peerId}`;
  const folds = chat === chat.toLowerCase() && (key.threadId ?? '') === (key.threadId ?? '').toLowerCase();
  return {
    ...scope(key.agentId, key.channel, 'default', { chat, ...topic(key.topicId ?? key.threadId) }),
    ...(folds ? {} : { caseSensitive: true }),
  };
}

function topic(id: string | undefined): { readonly topic?: string } {
  return id === undefined ? {} : { topic: `topic:${id}` };
}

function scope(
  agentId: string,
  channel: string,
  account: string,
  values: Readonly<Record<string, string>>,
): SessionScope {
  return { version: 1, agentId, channel, account, dimensions: Object.keys(values), values };
}

/**
 * The key under which OpenClaw would keep a conversation of this scope; undefined where its keys have no place for
 * what separates it (a space, or one person within a group). The main session where nothing separates it.
 */
export function openclawKeyOfScope({ agentId, channel, account, values }: SessionScope): string | undefined {
  const { chat = '', topic: thread = '', sender = '', space, ...others } = values;
  if (space !== undefined || Object.keys(others).length > 0) return undefined;
  const [, chatType = '', chatId = ''] = /^([^:]*):(.*)$/s.exec(chat) ?? [];
  const topicId = thread.replace(/^topic:/, '');
  if (chat === '' && sender === '') return formatOpenclawKey({ kind: 'main', agentId, mainKey: 'main' });
  if (chat === '' || chatType === 'direct') {
    const suffix = topicId === '' ? {} : { threadId: topicId };
    const named = account === 'default' ? {} : { account };
    return formatOpenclawKey({
      kind: 'direct',
      agentId,
      channel,
      ...named,
      peerId: sender || chatId,
      ...suffix,
    });
  }
  if (sender !== '') return undefined;
  return formatOpenclawKey(groupKeyOf(agentId, channel, chatType, chatId, topicId));
}

function groupKeyOf(
  agentId: string,
  channel: string,
  chatType: string,
  chatId: string,
  topicId: string,
): OpenclawKey {
  // A forum topic may stand in the chat itself: `group:-100/42`.
  const forum = channel === 'telegram' && topicId === '' ? /^(.*)\/([^/]+)$/s.exec(chatId) : null;
  const peerId = forum?.[1] ?? chatId;
  const id = forum?.[2] ?? topicId;
  const suffix = id === '' ? {} : channel === 'telegram' ? { topicId: id } : { threadId: id };
  return {
    kind: 'group',
    agentId,
    channel,
    chatType: chatType === 'channel' || chatType === 'room' ? chatType : 'group',
    peerId,
    ...suffix,
  };
}
