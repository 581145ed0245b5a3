import { allocate, type InboundContext } from '@x/session-scope';
import type { DeliveryStore, NewDelivery, PairingStore } from '@x/session-sqlite';
import type { JsonValue } from '@x/session-store';
import { parseCommand } from '../chat-commands/chat-command.js';
import type { ChannelSettings } from '../configuration/channel-settings.js';
import { createLaneWorker, type LaneWorker } from '../deliveries/lane-worker.js';
import { answerMessage, messageCutOff } from '../inbox/answer-message.js';
import type { InboxMessage } from '../inbox/inbox-message.js';
import type { Log } from '../log.js';
import { type Reply, replyParts } from '../outbox/outbox-part.js';
import { type OpenChannel, partCutOff, sendPart } from '../outbox/send-part.js';
import { askForPairing, pairingWords } from '../pairing/pairing-codes.js';
import type { ReceivingHouse } from '../receive.js';
import { RequestError } from '../request-error.js';
import { type Admission, admit } from './admission.js';
import type { Channel, ChannelMessage } from './channel.js';

/** All channels at work: what they bring is stored, answered, and what is answered is said. */
export interface ChannelHouse {
  /** Begins to work. Resolves when what an earlier run left is under way; channels connect in their own time. */
  start(): Promise<void>;
  /** Answers what a platform sends to `/channels/{name}`. */
  handleRequest(name: string, request: Request): Promise<Response>;
  /** Says something that answers nobody's message: once, under its name. False where no such channel is configured. */
  say(place: Pick<InboundContext, 'channel' | 'account'>, reply: Reply): Promise<boolean>;
  /** Takes no more messages, and begins no more answers. */
  pause(): Promise<void>;
  /** After the turns have ended: what could not be said now is said after the restart. */
  close(): Promise<void>;
}

export interface ChannelHouseOptions extends ReceivingHouse {
  readonly deliveries: DeliveryStore;
  readonly pairings: PairingStore;
  readonly channels: readonly OpenChannel[];
  readonly log: Log;
  readonly clock: () => Date;
}

const PARALLEL_ANSWERS = 64;
const PARALLEL_SENDS = 32;
/** More than this is not taken in: the platform keeps it, and brings it again. */
const MAX_WAITING = 10_000;
/** Platforms bring a message again for hours, none for weeks. */
const REMEMBERED_MS = 30 * 24 * 60 * 60_000;
const FORGET_EVERY_MS = 60 * 60_000;
const CONNECT_AGAIN_MS = 5000;
const MAX_BOT_CHATS = 10_000;

export function createChannelHouse(options: ChannelHouseOptions): ChannelHouse {
  const { deliveries, pairings, channels, log, clock, router } = options;
  const byName = new Map(channels.map((open) => [open.channel.name, open]));
  const findChannel = (name: string) => byName.get(name);
  /** Messages of bots in a chat since a person spoke there; chats without any are not in it. */
  const botMessages = new Map<string, number>();
  const onError = (error: unknown) => log.error({ err: error }, 'A delivery could not be worked on.');
  let isClosing = false;
  let forgetting: NodeJS.Timeout | undefined;
  let waiting = { count: 0, countedAt: 0 };

  const outbox: LaneWorker = createLaneWorker({
    store: deliveries,
    queue: 'outbox',
    parallel: PARALLEL_SENDS,
    work: (delivery) => sendPart(findChannel, delivery, clock()),
    afterCut: (delivery) => partCutOff(findChannel, delivery),
    onSettled({ id, channel, state, reason }) {
      if (state !== 'done') log.warn({ delivery: id, channel, state, reason }, 'A reply was not delivered.');
    },
    onError,
    clock,
  });
  const house = { ...options, findChannel, isClosing: () => isClosing };
  const inbox: LaneWorker = createLaneWorker({
    store: deliveries,
    queue: 'inbox',
    parallel: PARALLEL_ANSWERS,
    work: (delivery) => answerMessage(house, delivery),
    afterCut: messageCutOff,
    onSettled({ id, channel, state, reason }, following) {
      if (state !== 'done') log.warn({ delivery: id, channel, state, reason }, 'A message was set aside.');
      for (const { lane } of following) outbox.wake(lane);
    },
    onError,
    clock,
  });

  async function take({ channel, settings }: OpenChannel, message: ChannelMessage): Promise<void> {
    const admission = await admissionOf(channel, settings, message);
    const facts = { channel: channel.name, chat: message.address.chat, sender: message.sender.id };
    if (admission === 'ignore') {
      log.debug(facts, 'A message was ignored: the rules of the channel do not let it in.');
      return;
    }
    await checkRoom();
    const delivery =
      admission === 'pair'
        ? await pairingReply(channel, message)
        : inboxDelivery(channel, message, admission);
    if (delivery === undefined) return;
    const [put] = await deliveries.put([delivery]);
    if (put?.isNew !== true) return;
    waiting = { ...waiting, count: waiting.count + 1 };
    (delivery.queue === 'inbox' ? inbox : outbox).wake(delivery.lane);
  }

  async function admissionOf(
    channel: Channel,
    { rules }: ChannelSettings,
    message: ChannelMessage,
  ): Promise<Admission> {
    const { context, sender } = message;
    const chat = JSON.stringify([channel.name, message.address.chat, message.address.thread]);
    const before = botMessages.get(chat) ?? 0;
    if (!sender.isBot) botMessages.delete(chat);
    else {
      if (botMessages.size >= MAX_BOT_CHATS) botMessages.clear();
      botMessages.set(chat, before + 1);
    }
    const pairing = await pairings.find(channel.name, sender.id);
    return admit(
      rules,
      { context, sender },
      { isApproved: pairing?.state === 'approved', botMessages: before },
    );
  }

  /** A full inbox is the platform's to wait for. */
  async function checkRoom(): Promise<void> {
    const now = clock().getTime();
    if (Math.abs(now - waiting.countedAt) > 1000) {
      waiting = { count: await deliveries.count('inbox', 'waiting'), countedAt: now };
    }
    if (waiting.count < MAX_WAITING) return;
    throw new RequestError(
      503,
      'queue_full',
      `${waiting.count} messages wait already. Send it again later.`,
      30,
    );
  }

  async function pairingReply(channel: Channel, message: ChannelMessage): Promise<NewDelivery | undefined> {
    const code = await askForPairing(pairings, channel.name, message.sender, clock());
    if (code === undefined) return undefined;
    log.info({ channel: channel.name, sender: message.sender.id }, 'A stranger asks to be let in.');
    // Named after the code: whoever writes ten times is told once.
    const name = `pairing:${channel.name}:${code}`;
    return replyParts(channel, { name, address: message.address, text: pairingWords(code) })[0];
  }

  function inboxDelivery(
    channel: Channel,
    { id, ...message }: ChannelMessage,
    purpose: 'answer' | 'context',
  ): NewDelivery {
    const { agentId, policy } = router.route(message.context);
    const { sessionKey } = allocate({ agentId, context: message.context, policy });
    // What ends a turn cannot wait for its end.
    const isStop = purpose === 'answer' && parseCommand(message.text)?.name === 'stop';
    const payload: InboxMessage = { ...message, purpose };
    return {
      queue: 'inbox',
      lane: isStop ? `${sessionKey} stop` : sessionKey,
      name: `${channel.name}:${id}`,
      channel: channel.name,
      payload: payload as unknown as JsonValue,
    };
  }

  /** A platform that refuses the token now may take it later; the other channels go on. */
  async function connect(open: OpenChannel): Promise<void> {
    const { channel } = open;
    while (!isClosing) {
      try {
        await channel.start((message) => take(open, message));
        log.info({ channel: channel.name, kind: channel.kind }, 'A channel is connected.');
        return;
      } catch (error) {
        log.error({ err: error, channel: channel.name }, 'A channel cannot be connected; it is tried again.');
        await new Promise<void>((resolve) => {
          reconnects.add(resolve);
          setTimeout(resolve, CONNECT_AGAIN_MS).unref();
        });
      }
    }
  }
  const reconnects = new Set<() => void>();

  async function forgetOld(): Promise<void> {
    const before = new Date(clock().getTime() - REMEMBERED_MS);
    while (!isClosing && (await deliveries.forget(before, 1000)) === 1000);
  }

  return {
    async start() {
      await outbox.start();
      await inbox.start();
      await forgetOld();
      forgetting = setInterval(() => void forgetOld().catch(onError), FORGET_EVERY_MS);
      forgetting.unref();
      for (const open of channels) void connect(open);
    },
    async handleRequest(name, request) {
      const open = byName.get(name);
      if (open === undefined) throw new RequestError(404, 'not_found', 'There is nothing at this address.');
      return open.channel.handleRequest(request);
    },
    async say({ channel: kind, account }, reply) {
      const open = channels.find(
        ({ channel, settings }) => channel.kind === kind && settings.account === account,
      );
      if (open === undefined) return false;
      const parts = replyParts(open.channel, reply);
      await deliveries.put(parts);
      for (const { lane } of parts) outbox.wake(lane);
      return true;
    },
    async pause() {
      isClosing = true;
      clearInterval(forgetting);
      for (const wake of reconnects) wake();
      await Promise.all(channels.map(({ channel }) => channel.stop()));
    },
    async close() {
      await inbox.close();
      await outbox.close();
    },
  };
}
