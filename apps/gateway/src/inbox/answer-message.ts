import type { Turn, TurnOutcome } from '@x/agent-runtime';
import { AgentRuntimeError } from '@x/agent-runtime';
import type { Delivery, DeliveryChange, DeliveryStore } from '@x/session-sqlite';
import { SessionStoreError } from '@x/session-store';
import type { Channel, OutgoingMedia } from '../channels/channel.js';
import type { Verdict } from '../deliveries/lane-worker.js';
import { retryDelayMs } from '../deliveries/retry.js';
import { showLive } from '../outbox/live-answer.js';
import { idempotencyKey, replyParts } from '../outbox/outbox-part.js';
import type { FindChannel } from '../outbox/send-part.js';
import { type ReceivingHouse, receive } from '../receive.js';
import { RequestError } from '../request-error.js';
import { placeMessage } from '../session-place.js';
import { draftOf, type InboxMessage, parseInboxMessage } from './inbox-message.js';
import { mediaForModel } from './media-for-model.js';

export interface AnsweringHouse extends ReceivingHouse {
  readonly deliveries: DeliveryStore;
  readonly findChannel: FindChannel;
  /** The gateway is about to end: what is cut off now is answered after the restart. */
  readonly isClosing: () => boolean;
}

/** A message is set aside after so many tries that failed. */
const INBOX_TRIES = 3;
/** That often the process may die over a message: mostly it is not the message's fault. */
const CUTS = 10;

/** Failures that may be gone a little later; the others would be the same again. */
const PASSING: ReadonlySet<string> = new Set([
  'model_failed',
  'model_timeout',
  'store_failed',
  'turn_failed',
]);

/** Answers a message of the inbox: the reply is put into the outbox in the same step in which the message is done. */
export async function answerMessage(house: AnsweringHouse, delivery: Delivery): Promise<Verdict> {
  const message = parseInboxMessage(delivery);
  const open = house.findChannel(delivery.channel);
  if (open === undefined) return aside(`No channel called ${delivery.channel} is configured any more.`);
  const { channel, settings } = open;
  if (message.purpose === 'context') return keepAsContext(house, delivery, message);

  let turn: Turn;
  try {
    const { text, media } = await mediaForModel(channel, message);
    const { context, sender } = message;
    const meta = sender.name === '' ? {} : { meta: { sender_name: sender.name } };
    turn = await receive(house, { context, text, media, id: delivery.name, ...meta });
  } catch (error) {
    return afterRefusal(house, delivery, error);
  }
  const draft = await showLive(turn, {
    channel,
    address: message.address,
    isStreamed: settings.stream,
    draft: draftOf(delivery),
    key: idempotencyKey(`${delivery.name}#draft`),
    keepDraft: async (id) => void (await house.deliveries.change(delivery.id, { result: { draft: id } })),
  });
  const outcome = await turn.outcome;
  const refusal = await turn.accepted.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined) return afterRefusal(house, delivery, refusal);
  return verdictOf(house, channel, delivery, message, outcome, draft);
}

function verdictOf(
  house: AnsweringHouse,
  channel: Channel,
  delivery: Delivery,
  message: InboxMessage,
  outcome: TurnOutcome,
  draft: string | undefined,
): Verdict {
  if (outcome.status === 'interrupted' && house.isClosing()) return notCounted('The gateway stopped.');
  const code = outcome.error?.code ?? outcome.status;
  const why = outcome.error?.message ?? 'The answer was interrupted.';
  if (outcome.status === 'failed' && PASSING.has(code) && delivery.attempts < INBOX_TRIES) {
    return { outcome: 'later', inMs: retryDelayMs(delivery.attempts), reason: why, counts: true };
  }
  const isWell = outcome.status === 'done' || outcome.status === 'stopped';
  const text = isWell || outcome.status === 'interrupted' ? outcome.reply : `I could not answer this. ${why}`;
  // A replay that goes well must not find its words taken by those of the failure.
  const name = isWell ? delivery.name : `${delivery.name}!${delivery.attempts}`;
  const following = replyParts(channel, {
    name,
    address: message.address,
    text,
    media: mediaOf(outcome),
    draft,
  });
  return isWell
    ? { outcome: 'done', following }
    : { outcome: 'aside', change: { reason: `${code}: ${why}` }, following };
}

/** What a message was that the process died over: answered again, but for one that has killed it too often. */
export function messageCutOff(delivery: Delivery): DeliveryChange {
  return delivery.attempts < CUTS
    ? { state: 'waiting' }
    : { state: 'aside', reason: `The gateway ended ${delivery.attempts} times while it answered this.` };
}

async function keepAsContext(
  house: AnsweringHouse,
  delivery: Delivery,
  { context, text, sender }: InboxMessage,
): Promise<Verdict> {
  const { session } = await placeMessage(house, { context });
  const { sessionKey: key, scope, sessionAliases = [] } = session;
  await house.backend.ensure(key, scope === undefined ? {} : { scope });
  await house.backend.promote(key, sessionAliases);
  await house.backend.append(key, [
    { id: delivery.name, role: 'user', content: text, meta: { unanswered: true, sender_name: sender.name } },
  ]);
  return { outcome: 'done' };
}

/** Why a message did not even become a turn. */
function afterRefusal(house: AnsweringHouse, delivery: Delivery, error: unknown): Verdict {
  const reason = error instanceof Error ? error.message : String(error);
  if (house.isClosing()) return notCounted(reason);
  if (error instanceof AgentRuntimeError && error.code === 'queue_full') return notCounted(reason);
  const isForGood =
    error instanceof RequestError ||
    (error instanceof AgentRuntimeError && error.code === 'invalid_request') ||
    (error instanceof SessionStoreError && ['InvalidMessage', 'MessageTooLarge'].includes(error.code));
  if (isForGood || delivery.attempts >= INBOX_TRIES) return aside(reason);
  return { outcome: 'later', inMs: retryDelayMs(delivery.attempts), reason, counts: true };
}

function mediaOf({ messages }: TurnOutcome): OutgoingMedia[] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ media = [] }) => media)
    .filter((url) => /^(?:data|https?):/.test(url))
    .map((url, index) => ({ url, name: `attachment-${index + 1}` }));
}

function aside(reason: string): Verdict {
  return { outcome: 'aside', change: { reason } };
}

function notCounted(reason: string): Verdict {
  return { outcome: 'later', inMs: 1000, reason, counts: false };
}
