import { isMainAlias, mainSessionKey, parseAgentKey } from '@x/session-scope';
import type { ResetOptions } from './backend.js';
import { isSameJson } from './json-copy.js';
import { type JsonValue, messageOrigin, type StoredMessage } from './message.js';
import type { SessionFacts, SessionMeta } from './session-meta.js';

/*
 * What each operation makes of a session's record. Pure, and the same for every backend: a store only keeps
 * the outcome. `at` is the store's clock as ISO 8601, since a message's own time may be any.
 */

type JsonObject = { readonly [name: string]: JsonValue };
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What a session counts in which nothing has been said. */
const unspoken = {
  messageCount: 0,
  activeCount: 0,
  summary: '',
  userTurns: 0,
  promptInjections: 0,
  segments: [],
} as const;

export function newMeta(key: string, facts: SessionFacts, at: string): SessionMeta {
  const named = parseAgentKey(key);
  return {
    key,
    agentId: facts.agentId ?? facts.scope?.agentId ?? named?.agentId ?? 'main',
    channel: facts.channel ?? facts.scope?.channel ?? named?.channel ?? 'unknown',
    ...(facts.title === undefined ? {} : { title: facts.title }),
    ...(facts.scope === undefined ? {} : { scope: facts.scope }),
    aliases: [],
    summary: '',
    createdAt: at,
    updatedAt: at,
    activeAt: at,
    messageCount: 0,
    activeCount: 0,
    lastSeq: 0,
    cutoff: 0,
    userTurns: 0,
    promptInjections: 0,
    segments: [],
    attributes: merged({}, facts.attributes ?? {}),
    revision: 1,
  };
}

/** The record after `messages`, numbered from `lastSeq + 1` in order, were stored behind the others. */
export function afterAppend(meta: SessionMeta, messages: readonly StoredMessage[], at: string): SessionMeta {
  const last = messages.at(-1);
  if (last === undefined) return meta;
  let { userTurns, promptInjections, interactionAt } = meta;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') userTurns += 1;
    const origin = messageOrigin(message);
    if (origin === 'person') interactionAt = at;
    if (origin === 'agent-prompt' && meta.activeCount + index > 0) promptInjections += 1;
  }
  // Made for every message: one copy, changed before anybody sees it.
  const after: Mutable<SessionMeta> = { ...meta };
  if (meta.archivedAt !== undefined) delete after.archivedAt;
  if (interactionAt !== undefined) after.interactionAt = interactionAt;
  if (meta.activeCount === 0) after.segmentStartedAt = at;
  after.updatedAt = at;
  after.activeAt = at;
  after.messageCount += messages.length;
  after.activeCount += messages.length;
  after.lastSeq = last.seq;
  after.userTurns = userTurns;
  after.promptInjections = promptInjections;
  after.revision += messages.length;
  return after;
}

/** The record with what the caller knows merged in; the same object where nothing is new. */
export function afterFacts(
  meta: SessionMeta,
  facts: SessionFacts,
  claimed: readonly string[],
  at: string,
): SessionMeta {
  const attributes = merged(meta.attributes, facts.attributes ?? {});
  const aliases = claimed.filter((alias) => !meta.aliases.includes(alias));
  const title = meta.title === undefined ? facts.title : undefined;
  const scope = facts.scope !== undefined && !isSameJson(facts.scope, meta.scope) ? facts.scope : undefined;
  const agentId = facts.agentId ?? facts.scope?.agentId ?? meta.agentId;
  const channel = facts.channel ?? facts.scope?.channel ?? meta.channel;
  if (
    aliases.length === 0 &&
    title === undefined &&
    scope === undefined &&
    agentId === meta.agentId &&
    channel === meta.channel &&
    isSameJson(attributes, meta.attributes)
  ) {
    return meta;
  }
  return touched(
    {
      ...meta,
      agentId,
      channel,
      ...(title === undefined ? {} : { title }),
      ...(scope === undefined ? {} : { scope }),
      aliases: [...meta.aliases, ...aliases],
      attributes,
    },
    at,
  );
}

/** The record after the cutoff moved to `cutoff`, leaving `activeCount` messages behind it. */
export function afterCut(
  meta: SessionMeta,
  cutoff: number,
  activeCount: number,
  summary: string,
  at: string,
): SessionMeta {
  return touched({ ...meta, cutoff, activeCount, summary }, at);
}

/** The record after the segment was closed; `kept` are the messages that go over into the new one. */
export function afterReset(
  meta: SessionMeta,
  kept: readonly StoredMessage[],
  options: ResetOptions,
  at: string,
): SessionMeta {
  const cutoff = (kept[0]?.seq ?? meta.lastSeq + 1) - 1;
  const { segmentStartedAt: _closed, ...rest } = meta;
  return touched(
    {
      ...rest,
      ...(kept.length === 0 ? {} : { segmentStartedAt: at }),
      cutoff,
      activeCount: kept.length,
      summary: options.summary ?? '',
      userTurns: 0,
      promptInjections: 0,
      segments: [
        ...meta.segments,
        {
          lastSeq: meta.lastSeq,
          endedAt: at,
          ...(options.reason === undefined ? {} : { reason: options.reason }),
          ...(meta.summary === '' ? {} : { summary: meta.summary }),
        },
      ],
    },
    at,
  );
}

/** The record after the messages up to the cutoff were removed, those in the bin with them. */
export function afterCompact(meta: SessionMeta, at: string): SessionMeta {
  const { bin: _emptied, ...rest } = meta;
  return touched({ ...rest, messageCount: meta.activeCount }, at);
}

/** The record after all messages were removed. Seqs go on where they were: none is ever used twice. */
export function afterClear(meta: SessionMeta, at: string): SessionMeta {
  const { segmentStartedAt: _gone, interactionAt: _nor, bin: _emptied, ...rest } = meta;
  return touched(
    {
      ...rest,
      cutoff: 0,
      ...unspoken,
    },
    at,
  );
}

/** The record after the newest active messages were taken away, others not yet put in their place. */
export function afterDropTail(meta: SessionMeta, dropped: readonly StoredMessage[]): SessionMeta {
  const userTurns = dropped.filter((message) => message.role === 'user').length;
  const kept = meta.activeCount - dropped.length;
  const promptInjections = dropped.filter(
    (message, index) => kept + index > 0 && messageOrigin(message) === 'agent-prompt',
  ).length;
  return {
    ...meta,
    messageCount: meta.messageCount - dropped.length,
    activeCount: kept,
    userTurns: Math.max(0, meta.userTurns - userTurns),
    promptInjections: Math.max(0, meta.promptInjections - promptInjections),
  };
}

/** The record of a deleted session that is spoken to again: all it held lies in its bin. */
export function afterRevival(meta: SessionMeta, at: string): SessionMeta {
  const { deletedAt = at, archivedAt: _awake, title, bin, summary, ...rest } = meta;
  const { segmentStartedAt: _closed, interactionAt: _old, ...kept } = rest;
  return touched(
    {
      ...kept,
      bin: {
        throughSeq: meta.lastSeq,
        count: meta.messageCount + (bin?.count ?? 0),
        deletedAt,
        ...(title === undefined ? {} : { title }),
        segments: [
          ...(bin?.segments ?? []),
          ...meta.segments,
          {
            lastSeq: meta.lastSeq,
            endedAt: deletedAt,
            reason: 'deleted',
            ...(summary === '' ? {} : { summary }),
          },
        ],
        attributes: { ...bin?.attributes, ...meta.attributes },
      },
      cutoff: meta.lastSeq,
      ...unspoken,
      attributes: {},
      createdAt: at,
      activeAt: at,
    },
    at,
  );
}

/** The record after a deleted session was brought back, or else what lies in its bin: readable, not active. */
export function afterRestore(meta: SessionMeta, at: string): SessionMeta {
  if (meta.deletedAt !== undefined) {
    const { deletedAt: _back, ...rest } = meta;
    return touched(rest, at);
  }
  const { bin, ...rest } = meta;
  if (bin === undefined) return meta;
  const title = meta.title ?? bin.title;
  return touched(
    {
      ...rest,
      ...(title === undefined ? {} : { title }),
      messageCount: meta.messageCount + bin.count,
      segments: [...bin.segments, ...meta.segments],
      attributes: { ...bin.attributes, ...meta.attributes },
    },
    at,
  );
}

/** The record of `target`, still empty, after it took over the history of `source`. */
export function afterPromotion(
  target: SessionMeta,
  source: SessionMeta,
  claimed: readonly string[],
  at: string,
): SessionMeta {
  return touched(
    {
      ...source,
      ...(target.title === undefined ? {} : { title: target.title }),
      ...(target.scope === undefined ? {} : { scope: target.scope }),
      key: target.key,
      agentId: target.agentId,
      channel: target.channel,
      aliases: [...target.aliases, ...claimed.filter((alias) => !target.aliases.includes(alias))],
      attributes: { ...source.attributes, ...target.attributes },
      revision: Math.max(source.revision, target.revision),
    },
    at,
  );
}

/** The record after some change that moves no message. */
export function touched(meta: SessionMeta, at: string): SessionMeta {
  return { ...meta, updatedAt: at, revision: meta.revision + 1 };
}

/**
 * True where the session is some agent's main session, under its plain or its opaque name. The agents it could
 * belong to are those that the record or its aliases name, and `otherAgents`.
 */
export function isMainSession(meta: SessionMeta, otherAgents: readonly string[]): boolean {
  if (isMainAlias(meta.key)) return true;
  const named = meta.aliases.filter(isMainAlias).map((alias) => alias.split(':')[1] ?? '');
  return [meta.agentId, ...named, ...otherAgents].some((agentId) => meta.key === mainSessionKey(agentId));
}

function merged(before: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
}
