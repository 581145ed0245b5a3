import type { Delivery, DeliveryChange } from '@x/session-sqlite';
import type { JsonValue } from '@x/session-store';
import { type Channel, ChannelError } from '../channels/channel.js';
import type { ChannelSettings } from '../configuration/channel-settings.js';
import type { Verdict } from '../deliveries/lane-worker.js';
import { retryDelayMs } from '../deliveries/retry.js';
import { idempotencyKey, parseOutboxPart } from './outbox-part.js';

export interface OpenChannel {
  readonly channel: Channel;
  readonly settings: ChannelSettings;
}

export type FindChannel = (name: string) => OpenChannel | undefined;

/** A platform that is away for longer than this has lost its people anyway; the operator may send it again. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

const MAYBE_TWICE = 'It may have arrived before: it was sent again, since this platform cannot tell.';

/** Says one part of a reply. */
export async function sendPart(find: FindChannel, delivery: Delivery, now: Date): Promise<Verdict> {
  const open = find(delivery.channel);
  if (open === undefined) return setAside(`No channel called ${delivery.channel} is configured any more.`);
  const part = parseOutboxPart(delivery);
  const { channel } = open;
  try {
    if (part.edits !== undefined && channel.traits.edits) {
      await channel.edit(part.address, part.edits, part.text);
      return said(part.edits, delivery);
    }
    const { address, text, media } = part;
    return said(await channel.send({ address, text, media, key: idempotencyKey(delivery.name) }), delivery);
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    return afterError(open, delivery, error, now);
  }
}

/** What to make of a part that was being said when the process died. */
export function partCutOff(find: FindChannel, delivery: Delivery): DeliveryChange {
  const open = find(delivery.channel);
  return open === undefined || isSafeToRepeat(open, delivery)
    ? { state: 'waiting' }
    : unknownFate(open, 'The gateway ended while it was sent.');
}

function afterError(open: OpenChannel, delivery: Delivery, error: ChannelError, now: Date): Verdict {
  const { code, message, retryAfterMs } = error;
  const later = (inMs: number, counts: boolean, change?: DeliveryChange): Verdict => ({
    outcome: 'later',
    inMs,
    reason: message,
    counts,
    ...(change === undefined ? {} : { change }),
  });
  switch (code) {
    case 'rate_limited':
      return later(Math.max(retryAfterMs, 100), false);
    case 'refused':
      return setAside(message);
    case 'gone': {
      const { edits: _, ...anew } = parseOutboxPart(delivery);
      return later(0, true, { payload: anew as unknown as JsonValue });
    }
    case 'unreachable':
      return now.getTime() - delivery.createdAt.getTime() > GIVE_UP_AFTER_MS
        ? setAside(message)
        : later(retryDelayMs(delivery.attempts), true);
    case 'unknown': {
      if (isSafeToRepeat(open, delivery)) return later(retryDelayMs(delivery.attempts), true);
      const change = unknownFate(open, message);
      return change.state === 'unknown'
        ? { outcome: 'unknown', change }
        : later(retryDelayMs(delivery.attempts), true, change);
    }
  }
}

/** An edit leads to the same words however often it is made. */
function isSafeToRepeat({ channel }: OpenChannel, delivery: Delivery): boolean {
  return channel.traits.idempotent || parseOutboxPart(delivery).edits !== undefined;
}

function unknownFate({ settings }: OpenChannel, why: string): DeliveryChange {
  return settings.unknownFate === 'hold'
    ? { state: 'unknown', reason: `${why} Nobody knows whether it arrived: replay it or drop it.` }
    : { state: 'waiting', result: { maybe_twice: true } };
}

function said(id: string, { result }: Delivery): Verdict {
  const isMaybeTwice = typeof result === 'object' && result !== null && 'maybe_twice' in result;
  return {
    outcome: 'done',
    change: {
      result: { message_id: id, ...(isMaybeTwice ? { maybe_twice: true } : {}) },
      ...(isMaybeTwice ? { reason: MAYBE_TWICE } : {}),
    },
  };
}

function setAside(reason: string): Verdict {
  return { outcome: 'aside', change: { reason } };
}
