import { normaliseAgentId } from '../agent-id.js';
import { foldCase, normaliseText } from '../folding.js';
import { resolveIdentity } from '../identity-links.js';
import type { InboundContext } from '../inbound-context.js';
import { describeInbound } from '../inbound-view.js';
import type { ScopePolicy } from '../scope-policy.js';
import { isStorable } from '../session-key.js';
import { formatOpenclawKey } from './openclaw-key.js';
import { openclawChatType, openclawGroupKey } from './openclaw-session.js';

/**
 * The keys under which OpenClaw may have kept the conversation of this message, likeliest first: what an imported
 * session is found by. Never a main session, which everybody shares. A topic's key is named where the policy keeps
 * topics apart, else its group's.
 */
export function openclawAliases(
  agentId: string,
  context: InboundContext,
  policy: Pick<ScopePolicy, 'dimensions' | 'identityLinks'>,
): readonly string[] {
  const id = normaliseAgentId(agentId);
  const isDirect = openclawChatType(context.chatType) === 'direct';
  const keys = isDirect ? directKeys(id, context, policy) : groupKeys(id, context, policy);
  return [...new Set(keys)].filter(isStorable);
}

function directKeys(
  agentId: string,
  context: InboundContext,
  policy: Pick<ScopePolicy, 'dimensions' | 'identityLinks'>,
): readonly string[] {
  const channel = normaliseText(context.channel) || 'unknown';
  const account = normaliseText(context.account) || 'default';
  const threadId = policy.dimensions.includes('topic') ? normaliseText(context.topicId) : '';
  const thread = threadId === '' ? {} : { threadId };
  const linked = resolveIdentity(context.channel, context.senderId, policy) ?? '';
  return [normaliseText(context.senderId), linked, normaliseText(context.chatId)]
    .filter((peerId) => peerId !== '')
    .flatMap((peerId) => {
      const direct = { kind: 'direct', agentId, peerId, ...thread } as const;
      return [{ ...direct, channel, account }, { ...direct, channel }, direct].map(formatOpenclawKey);
    });
}

function groupKeys(
  agentId: string,
  context: InboundContext,
  { dimensions }: Pick<ScopePolicy, 'dimensions'>,
): readonly string[] {
  if (normaliseText(context.chatId) === '') return [];
  const isForum = describeInbound(context, { identityLinks: {} }).forumChat !== undefined;
  const separatesTopics = dimensions.includes('topic') || isForum;
  const chatType = openclawChatType(context.chatType);
  // A platform's ids do not depend on what a program calls the chat.
  const chatTypes = [chatType, 'group', 'channel', 'room'].filter((word) => word !== 'direct') as readonly (
    | 'group'
    | 'channel'
    | 'room'
  )[];
  const exact = chatTypes.map((word) =>
    formatOpenclawKey(openclawGroupKey(agentId, context, word, separatesTopics)),
  );
  return [...exact, ...exact.map(foldCase)];
}
