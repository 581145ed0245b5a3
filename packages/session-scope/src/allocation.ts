import type { InboundContext } from './inbound-context.js';
import type { ScopePolicy } from './scope-policy.js';
import { sessionAliases } from './session-aliases.js';
import { explicitKey, isMainAlias, mainAlias, mainSessionKey, sessionKey } from './session-key.js';
import { buildScope, type SessionScope } from './session-scope.js';

export interface AllocationRequest {
  readonly agentId: string;
  readonly context: InboundContext;
  readonly policy: ScopePolicy;
  /** A key the message brought along; anything but `sk_v1_…` and `agent:…` is ignored. */
  readonly requestedKey?: string | undefined;
}

/** The session of one message. */
export interface SessionAllocation {
  /** Where the message came from, also when an explicit key sends it elsewhere. */
  readonly scope: SessionScope;
  readonly sessionKey: string;
  /** Older names of the session. Empty for an explicit key: the chat's names belong to the chat's own session. */
  readonly sessionAliases: readonly string[];
  /** The agent's main session, whatever session the message goes to. */
  readonly mainSessionKey: string;
  readonly mainAliases: readonly string[];
  /** `explicit` when `requestedKey` was followed. */
  readonly origin: 'routed' | 'explicit';
}

/** Decides the session of a message. Pure: equal requests give equal allocations. */
export function allocate({ agentId, context, policy, requestedKey }: AllocationRequest): SessionAllocation {
  const scope = buildScope(agentId, context, policy);
  const main = { mainSessionKey: mainSessionKey(agentId), mainAliases: [mainAlias(agentId)] };
  const explicit = explicitKey(requestedKey);
  if (explicit !== undefined) return { scope, ...explicitSession(explicit), ...main, origin: 'explicit' };
  return {
    scope,
    sessionKey: sessionKey(scope),
    sessionAliases: sessionAliases(agentId, context, policy),
    ...main,
    origin: 'routed',
  };
}

/** A main alias is not a key of its own: it always leads to the main session of the agent it names. */
function explicitSession(key: string): Pick<SessionAllocation, 'sessionKey' | 'sessionAliases'> {
  if (!isMainAlias(key)) return { sessionKey: key, sessionAliases: [] };
  const agentId = key.split(':')[1];
  return { sessionKey: mainSessionKey(agentId), sessionAliases: [mainAlias(agentId)] };
}
