import type { AgentRuntime } from '@x/agent-runtime';
import type { JobTarget } from '@x/scheduler';
import { type InboundContext, isMainAlias } from '@x/session-scope';
import type { LiveFeed } from '../live-feed.js';
import type { Log } from '../log.js';
import type { SessionGate } from '../session-gate.js';
import { type PlaceHouse, type PlaceRequest, placeMessage, type SessionPlace } from '../session-place.js';
import { outlastTurns } from '../session-turns.js';

export interface TargetHouse extends PlaceHouse {
  readonly runtime: AgentRuntime;
  readonly gate: SessionGate;
  readonly feed: LiveFeed;
  readonly log: Pick<Log, 'warn'>;
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
  const { session } = target;
  const context =
    session === undefined ? await contextOf(house, target, senderId) : contextAs(target, senderId);
  const request = { context, ...(session === undefined ? {} : { session }) };
  return { request, place: await placeMessage(house, request) };
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

/**
 * Makes sure that the session is there under its names, with what lay under an older one, as a turn would. Where its
 * segment is empty, the agent's profile comes first: a turn gives it to empty segments only, and this one no longer is.
 */
export async function openTarget(
  house: TargetHouse,
  { session, title, agentId }: SessionPlace,
): Promise<void> {
  const { backend, agents, log } = house;
  const { sessionKey, scope, sessionAliases = [], mainSessionKey } = session;
  const isMain = mainSessionKey === sessionKey;
  const aliases = sessionAliases.filter((alias) => isMain || !isMainAlias(alias));
  const { meta: found } = await backend.ensure(sessionKey, scope === undefined ? {} : { scope });
  if (found.lastSeq === 0 && aliases.length > 0) await backend.promote(sessionKey, aliases);
  const { meta } = await backend.ensure(sessionKey, { aliases, ...(title === undefined ? {} : { title }) });
  if (meta.activeCount > 0) return;
  try {
    const content = (await agents.get(agentId).prompt?.read())?.trim() ?? '';
    if (content === '') return;
    await backend.append(sessionKey, [{ role: 'system', content, meta: { origin: 'agent-prompt' } }]);
  } catch (error) {
    log.warn({ err: error, agent: agentId }, 'The profile of an agent could not be given.');
  }
}

/** Does something between two turns of a session: waits for those that run, and lets none begin meanwhile. */
export async function betweenTurns(
  { runtime, gate }: TargetHouse,
  sessionKey: string,
  task: () => Promise<void>,
): Promise<void> {
  for (let isDone = false; !isDone; ) {
    await outlastTurns(runtime, sessionKey);
    isDone = await gate.run(sessionKey, async () => {
      if (runtime.running(sessionKey) !== undefined) return false;
      await task();
      return true;
    });
  }
}
