import type { TurnSession } from '@x/agent-runtime';
import type { Router } from '@x/routing';
import {
  allocate,
  explicitKey,
  type InboundContext,
  isMainAlias,
  mainAlias,
  mainSessionKey,
  normaliseAgentId,
  parseAgentKey,
  type SessionAllocation,
} from '@x/session-scope';
import { openclawAliases } from '@x/session-scope/openclaw';
import type { SessionBackend, SessionMeta } from '@x/session-store';
import type { Agents } from './agents.js';
import { withImportedNames } from './imported-names.js';
import { picobotSession } from './picobot-session.js';
import { RequestError } from './request-error.js';
import type { BindingStore } from './thread-bindings/binding-store.js';
import { placesOf } from './thread-bindings/bound-place.js';

/** Where a message is answered, and by whom. */
export interface SessionPlace {
  readonly session: TurnSession;
  readonly agentId: string;
  readonly title?: string;
}

export interface PlaceRequest {
  readonly context: InboundContext;
  /** A key, an alias, or a name given by hand. */
  readonly session?: string | undefined;
  /** Asks for an agent instead of the routed one; only a session that is new can still choose. */
  readonly agent?: string | undefined;
}

export interface PlaceHouse {
  readonly backend: SessionBackend;
  readonly router: Router;
  readonly agents: Agents;
  readonly bindings: BindingStore;
}

export const MAX_NAME_LENGTH = 200;
const WHOLE_KEY = /^(?:sk_v1_[0-9a-f]{64}|agent:.+)$/s;

/** Ids of our own surfaces mean nothing on other channels: names without the channel in them are not claimed. */
const OWN_SURFACES: ReadonlySet<string> = new Set(['web', 'cli']);

/**
 * A message goes where its context or what that is bound to leads, unless it names a session: one that exists goes on under its own
 * agent, a key that does not exist yet is used as it is, and any other name is a session of its own, created on
 * first use, whatever the dimensions.
 */
export async function placeMessage(house: PlaceHouse, request: PlaceRequest): Promise<SessionPlace> {
  const agent = request.agent === undefined ? undefined : normaliseAgentId(request.agent);
  if (agent !== undefined && !house.agents.has(agent)) {
    const known = house.agents.list.map(({ id }) => id).join(', ');
    throw new RequestError(
      400,
      'unknown_agent',
      `agent: no agent ${request.agent} is configured; there are ${known}.`,
    );
  }
  if (request.session === undefined)
    return agent === undefined
      ? boundPlace(house, request.context)
      : routedPlace(house, { ...request, agent });
  const found = await findSession(house.backend, request.session);
  if (found !== undefined) return placeOfSession(found, agent);
  const explicit = keyAsked(request.session);
  return explicit === undefined
    ? namedPlace(house, { ...request, agent }, checkedName(request.session))
    : explicitPlace(house, { ...request, agent }, explicit);
}

/** The key of the session that a key, an alias or a name given by hand leads to; undefined where there is none. */
export async function findSession(
  backend: SessionBackend,
  candidate: string,
): Promise<SessionMeta | undefined> {
  const key = await backend.resolve(candidate);
  const meta = key === undefined ? undefined : await backend.meta(key);
  return meta?.deletedAt === undefined ? meta : undefined;
}

/** The key that these words are; undefined where they are a name, or nothing. */
export function keyAsked(text: string): string | undefined {
  const key = explicitKey(text);
  return key !== undefined && WHOLE_KEY.test(key) ? key : undefined;
}

/** Where the thread or chat is bound to; where it is not, or to what is not there any more, as it is routed. */
async function boundPlace(house: PlaceHouse, context: InboundContext): Promise<SessionPlace> {
  const binding = house.bindings.follow(placesOf(context, house.router.route(context).policy));
  if (binding === undefined) return routedPlace(house, { context });
  const { target } = binding;
  if ('agent' in target) {
    const isThere = house.agents.has(target.agent);
    return routedPlace(house, { context, ...(isThere && { agent: target.agent }) });
  }
  const meta = await findSession(house.backend, target.session);
  return meta === undefined ? routedPlace(house, { context }) : placeOfSession(meta, undefined);
}

/** Where the context alone leads. */
export async function routedPlace(
  house: PlaceHouse,
  { context, agent }: PlaceRequest,
): Promise<SessionPlace> {
  const route = house.router.route(context);
  const agentId = agent ?? route.agentId;
  const allocation = allocate({ agentId, context, policy: route.policy });
  if (OWN_SURFACES.has(context.channel))
    return { session: withoutForeignNames(allocation, context.channel), agentId };
  const picobots = await picobotSession(house.backend, context, allocation);
  const names = openclawAliases(agentId, context, route.policy);
  return {
    session: picobots ?? (await withImportedNames(house.backend, allocation, names)),
    agentId,
  };
}

function placeOfSession(meta: SessionMeta, agent: string | undefined): SessionPlace {
  if (agent !== undefined && agent !== meta.agentId) {
    throw new RequestError(
      409,
      'agent_mismatch',
      `The session ${meta.key} belongs to the agent ${meta.agentId}. Leave agent out, or name another session.`,
    );
  }
  return { session: { sessionKey: meta.key }, agentId: meta.agentId };
}

function explicitPlace(house: PlaceHouse, { context, agent }: PlaceRequest, key: string): SessionPlace {
  const named = parseAgentKey(key);
  const route = house.router.route(context);
  const agentId = agent ?? named?.agentId ?? route.agentId;
  if (isMainAlias(key)) {
    const main = mainSessionKey(agentId);
    return {
      session: { sessionKey: main, mainSessionKey: main, sessionAliases: [mainAlias(agentId)] },
      agentId,
    };
  }
  // A key of the older form tells its agent and channel itself; of an opaque one the context says more.
  if (named !== undefined) return { session: { sessionKey: key }, agentId };
  const { scope } = allocate({ agentId, context, policy: route.policy });
  return { session: { sessionKey: key, scope }, agentId };
}

/** One chat by its name alone: two names never share a session, however the dimensions are set. */
function namedPlace(house: PlaceHouse, { context, agent }: PlaceRequest, name: string): SessionPlace {
  const named: InboundContext = { ...context, chatType: 'direct', chatId: name };
  const agentId = agent ?? house.router.route(named).agentId;
  const allocation = allocate({
    agentId,
    context: named,
    policy: { dimensions: ['chat'], identityLinks: {} },
  });
  return { session: { ...allocation, sessionAliases: [name] }, agentId, title: name };
}

function checkedName(text: string): string {
  const name = text.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (name === '' || name.length > MAX_NAME_LENGTH || /[\u0000-\u001f\u007f-\u009f]/.test(name)) {
    throw new RequestError(
      400,
      'invalid_session',
      `session: expected a key, an alias, or a name of 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
    );
  }
  return name;
}

function withoutForeignNames(allocation: SessionAllocation, channel: string): TurnSession {
  const own = allocation.sessionAliases.filter((alias) => alias.split(':')[2] === channel);
  return { ...allocation, sessionAliases: own };
}
