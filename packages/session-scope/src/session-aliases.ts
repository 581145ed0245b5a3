import { normaliseText } from './folding.js';
import type { InboundContext } from './inbound-context.js';
import { describeInbound } from './inbound-view.js';
import type { ScopePolicy } from './scope-policy.js';
import { isStorable, mainAlias, sessionKey } from './session-key.js';
import { buildScope } from './session-scope.js';

/**
 * The older names of a message's conversation, each once. The agent's main alias is listed because PicoClaw does;
 * it always means the main session. Names that no store can hold are left out.
 */
export function sessionAliases(agentId: string, context: InboundContext, policy: ScopePolicy): string[] {
  const main = mainAlias(agentId);
  const prefix = main.slice(0, -':main'.length);
  const chatType = normaliseText(context.chatType);
  const aliases = [
    main,
    ...foldedKey(agentId, context, policy),
    ...(chatType === 'direct'
      ? directAliases(prefix, context, policy)
      : peerAlias(prefix, context, policy, chatType)),
  ];
  return [...new Set(aliases)].filter(isStorable);
}

/** The key a conversation had before its channel was declared case-sensitive. */
function foldedKey(agentId: string, context: InboundContext, policy: ScopePolicy): string[] {
  const scope = buildScope(agentId, context, policy);
  if (scope.caseSensitive !== true) return [];
  const { dimensions, identityLinks } = policy;
  return [sessionKey(buildScope(agentId, context, { dimensions, identityLinks }))];
}

function directAliases(prefix: string, context: InboundContext, policy: ScopePolicy): string[] {
  const { channel, account, sender } = describeInbound(context, policy);
  return [context.senderId, sender, context.chatId]
    .map(normaliseText)
    .filter((peer) => peer !== '')
    .flatMap((peer) => [
      `${prefix}:direct:${peer}`,
      `${prefix}:${channel}:direct:${peer}`,
      `${prefix}:${channel}:${account}:direct:${peer}`,
    ]);
}

function peerAlias(prefix: string, context: InboundContext, policy: ScopePolicy, chatType: string): string[] {
  const chatId = normaliseText(context.chatId);
  if (chatId === '') return [];
  const topicId = normaliseText(context.topicId);
  const peer = topicId === '' ? chatId : `${chatId}/${topicId}`;
  return [`${prefix}:${describeInbound(context, policy).channel}:${chatType || 'unknown'}:${peer}`];
}
