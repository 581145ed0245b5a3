import { createHash } from 'node:crypto';
import { describeInbound, type InboundContext, type ScopePolicy } from '@x/session-scope';
import type { BoundPlace } from './binding.js';

/**
 * The places of a message at which a binding may stand, the nearest first: this person's conversation there, where
 * people have conversations of their own, then the thread or chat as such.
 */
export function placesOf(context: InboundContext, policy: ScopePolicy): readonly BoundPlace[] {
  const thread = threadOf(context, policy);
  const { sender } = describeInbound(context, policy);
  const isPersonal = policy.dimensions.includes('sender') && sender !== undefined;
  return isPersonal ? [{ ...thread, sender }, thread] : [thread];
}

/** The thread, or the chat where there is none: the place of all who speak in it. */
export function threadOf(context: InboundContext, policy: ScopePolicy): BoundPlace {
  const { channel, account, space, chat, topic } = describeInbound(context, policy);
  return {
    channel,
    account,
    ...(space !== undefined && { space }),
    ...(chat !== undefined && { chat }),
    ...(topic !== undefined && { topic }),
  };
}

/** A short name, the same for the same place. */
export function placeId({ channel, account, space, chat, topic, sender }: BoundPlace): string {
  const whole = JSON.stringify([
    channel,
    account,
    space ?? null,
    chat ?? null,
    topic ?? null,
    sender ?? null,
  ]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 16);
}
