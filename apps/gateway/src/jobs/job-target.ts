import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentRuntime } from '@x/agent-runtime';
import type { JobTarget } from '@x/scheduler';
import { type InboundContext, isMainAlias } from '@x/session-scope';
import type { LiveFeed } from '../live-feed.js';
import type { SessionGate } from '../session-gate.js';
import {
  findSession,
  type PlaceHouse,
  type PlaceRequest,
  placeMessage,
  type SessionPlace,
} from '../session-place.js';

export interface TargetHouse extends PlaceHouse {
  readonly runtime: AgentRuntime;
  readonly gate: SessionGate;
  readonly feed: LiveFeed;
}

export interface PlacedTarget {
  /** As a message from there would ask for it. */
  readonly request: PlaceRequest;
  readonly place: SessionPlace;
}

/** The session that a job speaks in. */
export async function placeTarget(
  house: TargetHouse,
  target: JobTarget,
  senderId?: string,
): Promise<PlacedTarget> {
  const session = target.session ?? (await plainSession(house, target));
  const context =
    session === undefined ? await contextOf(house, target, senderId) : contextAs(target, senderId);
  const request = { context, ...(session === undefined ? {} : { session }) };
  return { request, place: await placeMessage(house, request) };
}

/** Targets say channel and chat as PicoBot does, whose sessions are called `<channel>:<chat>`. */
async function plainSession(house: PlaceHouse, target: JobTarget): Promise<string | undefined> {
  const { channel, chat_id: chat, topic_id: topic, account } = target;
  if (channel === undefined || chat === undefined || topic !== undefined || account !== undefined) return;
  const found = await findSession(house.backend, `${channel}:${chat}`);
  return found?.channel === channel ? found.key : undefined;
}

/** As the messages of that chat say it. What kind of chat it is may be left out: then it is the one that is known. */
async function contextOf(
  house: PlaceHouse,
  target: JobTarget,
  senderId: string | undefined,
): Promise<InboundContext> {
  const { chat_type: type, chat_id: chat } = target;
  if (type !== undefined) return contextAs(target, senderId);
  const kinds: readonly InboundContext[] = ['direct', 'group', 'channel'].map((chat_type) =>
    contextAs({ ...target, chat_type }, senderId),
  );
  // In a private chat the person often has the id of the chat.
  const personal = contextAs({ ...target, chat_type: 'direct' }, senderId ?? chat);
  for (const context of [...kinds, personal]) {
    const { session } = await placeMessage(house, { context });
    const meta = await house.backend.meta(session.sessionKey);
    if (meta !== undefined && meta.deletedAt === undefined) return context;
  }
  return contextAs(target, senderId);
}

function contextAs(target: JobTarget, senderId: string | undefined): InboundContext {
  const { channel = 'web', chat_id, chat_type, account, topic_id, space_id, space_type } = target;
  return {
    channel,
    ...(chat_id === undefined ? {} : { chatId: chat_id }),
    ...(chat_type === undefined ? {} : { chatType: chat_type }),
    ...(account === undefined ? {} : { account }),
    ...(topic_id === undefined ? {} : { topicId: topic_id }),
    ...(space_id === undefined ? {} : { spaceId: space_id }),
    ...(space_type === undefined ? {} : { spaceType: space_type }),
    ...(senderId === undefined ? {} : { senderId }),
  };
}

/** Makes sure that the session is there under its names, with what lay under an older one, as a turn would. */
export async function openTarget(house: TargetHouse, { session, title }: SessionPlace): Promise<void> {
  const { backend } = house;
  const { sessionKey, scope, sessionAliases = [], mainSessionKey } = session;
  const isMain = mainSessionKey === sessionKey;
  const aliases = sessionAliases.filter((alias) => isMain || !isMainAlias(alias));
  const { meta } = await backend.ensure(sessionKey, scope === undefined ? {} : { scope });
  if (meta.lastSeq === 0 && aliases.length > 0) await backend.promote(sessionKey, aliases);
  await backend.ensure(sessionKey, { aliases, ...(title === undefined ? {} : { title }) });
}

/** Does something between two turns of a session: waits for those that run, and lets none begin meanwhile. */
export async function betweenTurns(
  { runtime, gate }: TargetHouse,
  sessionKey: string,
  task: () => Promise<void>,
): Promise<void> {
  for (let isDone = false; !isDone; ) {
    for (let turn = runtime.running(sessionKey); turn !== undefined; turn = runtime.running(sessionKey)) {
      await turn.outcome;
      // The next one that waited begins before it can be seen.
      await nextTick();
    }
    isDone = await gate.run(sessionKey, async () => {
      if (runtime.running(sessionKey) !== undefined) return false;
      await task();
      return true;
    });
  }
}
