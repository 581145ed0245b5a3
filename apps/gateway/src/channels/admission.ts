import type { ChannelRules } from '../configuration/channel-settings.js';
import type { ChannelMessage } from './channel.js';

/** `answer` · `context`: kept for the model to see, not answered · `pair`: a stranger, who gets a code · `ignore`. */
export type Admission = 'answer' | 'context' | 'pair' | 'ignore';

export interface Acquaintance {
  /** The operator approved this person. */
  readonly isApproved: boolean;
  /** Messages of bots in this chat since a person last spoke, this one not counted. */
  readonly botMessages: number;
}

/** What is done with a message, by who sent it and where. Decided before it is stored. */
export function admit(
  rules: ChannelRules,
  { context, sender }: Pick<ChannelMessage, 'context' | 'sender'>,
  { isApproved, botMessages }: Acquaintance,
): Admission {
  if (sender.isBot && botMessages >= rules.botMessages) return 'ignore';
  const isKnown = rules.allow.has(sender.id) || isApproved;
  if ((context.chatType ?? 'direct') === 'direct') {
    if (rules.direct === 'off') return 'ignore';
    if (rules.direct === 'open' || isKnown) return 'answer';
    return rules.direct === 'pairing' && !sender.isBot ? 'pair' : 'ignore';
  }
  if (rules.groups !== '*' && !rules.groups.has(context.chatId ?? '')) return 'ignore';
  if (rules.groupMembers === 'allow' && !isKnown) return 'ignore';
  if (rules.mention === 'not-needed' || context.mentioned === true) return 'answer';
  return rules.unmentioned === 'context' ? 'context' : 'ignore';
}
