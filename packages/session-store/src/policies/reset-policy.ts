import { parseAgentKey } from '@x/session-scope';
import type { ResetOptions } from '../backend.js';
import type { SessionMeta } from '../session-meta.js';
import { type ResetRule, staleReason } from './freshness.js';

export type ChatKind = 'direct' | 'group' | 'thread';

/** Which rule holds for which conversation: that of its channel, else that of its kind, else the base. */
export interface ResetPolicy {
  readonly base: ResetRule;
  readonly byKind: Readonly<Partial<Record<ChatKind, ResetRule>>>;
  /** By the channel's name in lower case. */
  readonly byChannel: Readonly<Record<string, ResetRule>>;
}

/** The rule for one session, by what it is and not by who speaks to it at the moment. */
export function resetRule(policy: ResetPolicy, session: SessionMeta): ResetRule {
  const channel = session.channel.toLowerCase();
  const ofChannel = Object.hasOwn(policy.byChannel, channel) ? policy.byChannel[channel] : undefined;
  return ofChannel ?? policy.byKind[chatKind(session)] ?? policy.base;
}

/** The reset that is due before the next message of a person; undefined while the conversation is fresh. */
export function dueReset(policy: ResetPolicy, session: SessionMeta, now: Date): ResetOptions | undefined {
  const rule = resetRule(policy, session);
  const reason = staleReason(session, rule, now);
  if (reason === undefined) return undefined;
  const { carry = {} } = rule;
  return {
    reason,
    ...(carry.summary === true && session.summary !== '' && { summary: session.summary }),
    ...(carry.lastMessages !== undefined && { keepLast: carry.lastMessages }),
  };
}

/**
 * A thread or topic that is a session of its own, else a direct chat or a group. A session by a name alone, and one
 * that spans chats, is a direct chat.
 */
export function chatKind({ scope, key }: Pick<SessionMeta, 'scope' | 'key'>): ChatKind {
  if (scope === undefined) {
    const { chatType = 'direct', rest = '' } = parseAgentKey(key) ?? {};
    if (/:(?:thread|topic):/.test(rest)) return 'thread';
    return chatType === 'direct' ? 'direct' : 'group';
  }
  const chat = scope.values.chat ?? 'direct:';
  // A forum's topic stands behind its chat where it is no dimension of its own: `group:-100123/42`.
  if (scope.values.topic !== undefined || /\/\d+$/.test(chat)) return 'thread';
  return chat.startsWith('direct:') ? 'direct' : 'group';
}
