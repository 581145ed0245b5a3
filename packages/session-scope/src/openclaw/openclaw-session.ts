import { normaliseAccount, normaliseAgentId } from '../agent-id.js';
import { foldCase, normaliseText, trimSpace } from '../folding.js';
import { resolveIdentity } from '../identity-links.js';
import type { InboundContext } from '../inbound-context.js';
import type { IdentityLinks } from '../scope-policy.js';
import { canonicalOpenclawKey, formatOpenclawKey, type OpenclawKey } from './openclaw-key.js';

/** OpenClaw's `session` block, as far as it decides keys. */
export interface OpenclawPolicy {
  /** `global`: every message of every chat is one session. Default `per-sender`. */
  readonly scope?: 'per-sender' | 'global';
  /** Who shares a direct session. Default `main`: everybody. */
  readonly dmScope?: 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';
  /** The name of the shared direct session. Default `main`; an empty one is `main`. */
  readonly mainKey?: string;
  readonly groupScope?: 'per-group' | 'main';
  /** `group`: all topics and threads of a group share its session. Default `topic`. */
  readonly topicScope?: 'topic' | 'group';
  readonly identityLinks?: IdentityLinks;
}

export interface OpenclawRequest {
  readonly agentId: string;
  readonly context: InboundContext;
  readonly policy: OpenclawPolicy;
  /** A key that the message brought along: it decides. */
  readonly requestedKey?: string | undefined;
}

/** The session that OpenClaw gives a message. Total and pure. */
export function openclawSession({ agentId, context, policy, requestedKey = '' }: OpenclawRequest): string {
  if (trimSpace(requestedKey) !== '') return canonicalOpenclawKey(requestedKey, agentId);
  if (policy.scope === 'global') return 'global';
  const chatType = openclawChatType(context.chatType);
  return formatOpenclawKey(
    chatType === 'direct'
      ? directKey(agentId, context, policy)
      : groupKey(agentId, context, policy, chatType),
  );
}

/** `group`, `channel` and `room` as they are, `direct` for direct chats, `group` for every other kind of chat. */
export function openclawChatType(chatType: string | undefined): 'direct' | 'group' | 'channel' | 'room' {
  const word = normaliseText(chatType);
  if (word === '' || word === 'direct' || word === 'dm') return 'direct';
  return word === 'channel' || word === 'room' ? word : 'group';
}

function directKey(agentId: string, context: InboundContext, policy: OpenclawPolicy): OpenclawKey {
  const { dmScope = 'main', identityLinks = {} } = policy;
  const id = normaliseAgentId(agentId);
  const topicId = policy.topicScope === 'group' ? '' : normaliseText(context.topicId);
  const thread = topicId === '' ? {} : { threadId: topicId };
  const peerId =
    resolveIdentity(context.channel, context.senderId, { identityLinks }) ?? normaliseText(context.chatId);
  // Nobody to tell apart: what everybody shares.
  if (dmScope === 'main' || peerId === '') return { ...mainKey(id, policy), ...thread };
  if (dmScope === 'per-peer') return { kind: 'direct', agentId: id, peerId, ...thread };
  const account =
    dmScope === 'per-account-channel-peer' ? { account: normaliseAccount(context.account) } : {};
  return { kind: 'direct', agentId: id, channel: channelOf(context), ...account, peerId, ...thread };
}

function groupKey(
  agentId: string,
  context: InboundContext,
  policy: OpenclawPolicy,
  chatType: 'group' | 'channel' | 'room',
): OpenclawKey {
  const id = normaliseAgentId(agentId);
  if (policy.groupScope === 'main') return mainKey(id, policy);
  return openclawGroupKey(id, context, chatType, policy.topicScope !== 'group');
}

/** The key of a group, or of the message's topic or thread in it. */
export function openclawGroupKey(
  agentId: string,
  context: InboundContext,
  chatType: 'group' | 'channel' | 'room',
  separatesTopics: boolean,
): OpenclawKey {
  const channel = channelOf(context);
  // The ids of Signal groups and Matrix rooms differ by case alone.
  const idOf = (text = '') =>
    channel === 'signal' || channel === 'matrix' ? trimSpace(text) : foldCase(trimSpace(text));
  const topicId = separatesTopics ? idOf(context.topicId) : '';
  const topic = topicId === '' ? {} : channel === 'telegram' ? { topicId } : { threadId: topicId };
  return { kind: 'group', agentId, channel, chatType, peerId: idOf(context.chatId) || 'unknown', ...topic };
}

function mainKey(agentId: string, policy: OpenclawPolicy): OpenclawKey & { readonly kind: 'main' } {
  return { kind: 'main', agentId, mainKey: normaliseText(policy.mainKey) || 'main' };
}

function channelOf(context: InboundContext): string {
  return normaliseText(context.channel) || 'unknown';
}
