import { normaliseAccount } from './agent-id.js';
import { foldCase, normaliseText, trimSpace } from './folding.js';
import { identify, isCaseSensitive } from './identity-links.js';
import type { InboundContext } from './inbound-context.js';
import type { ScopePolicy } from './scope-policy.js';

/** A message's normalised identity: what rules match and what scopes are built from. */
export interface InboundView {
  readonly channel: string;
  readonly account: string;
  /** `guild:123` */
  readonly space?: string;
  /** `group:-100123` */
  readonly chat?: string;
  /** `group:-100123/42`: the chat with its topic, on channels whose topics are conversations of their own. */
  readonly forumChat?: string;
  /** `topic:42` */
  readonly topic?: string;
  /** The linked canonical name, else the id. */
  readonly sender?: string;
  readonly isSenderLinked: boolean;
  readonly mentioned: boolean;
  /** Whether ids kept their case. */
  readonly isCaseSensitive: boolean;
}

/** Channels where a topic is a conversation of its own even when the policy does not say so. */
const FORUM_CHANNELS: ReadonlySet<string> = new Set(['telegram']);

/** Normalises a message once, for dispatch and scope alike. Total and pure. */
export function describeInbound(
  context: InboundContext,
  policy: Pick<ScopePolicy, 'identityLinks' | 'caseSensitiveChannels'>,
): InboundView {
  const channel = normaliseText(context.channel) || 'unknown';
  const keepsCase = isCaseSensitive(channel, policy);
  const idOf = (text: string | undefined): string => {
    const trimmed = trimSpace(text ?? '');
    return keepsCase ? trimmed : foldCase(trimmed);
  };
  const spaceId = idOf(context.spaceId);
  const chatId = idOf(context.chatId);
  const topicId = idOf(context.topicId);
  const chat = `${normaliseText(context.chatType) || 'direct'}:${chatId}`;
  // A private chat has threads and no forum: there a thread splits the session only where `topic` is a dimension.
  const isForum =
    topicId !== '' && FORUM_CHANNELS.has(channel) && normaliseText(context.chatType) !== 'direct';
  const identity = identify(context.channel, context.senderId, policy);
  return {
    channel,
    account: normaliseAccount(context.account),
    ...(spaceId !== '' && { space: `${normaliseText(context.spaceType) || 'space'}:${spaceId}` }),
    ...(chatId !== '' && { chat }),
    ...(chatId !== '' && isForum && { forumChat: `${chat}/${topicId}` }),
    ...(topicId !== '' && { topic: `topic:${topicId}` }),
    ...(identity !== undefined && { sender: identity.name }),
    isSenderLinked: identity?.isLinked ?? false,
    mentioned: context.mentioned ?? false,
    isCaseSensitive: keepsCase,
  };
}
