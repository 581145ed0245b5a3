export { normaliseAccount, normaliseAgentId } from './agent-id.js';
export { type AgentKey, parseAgentKey } from './agent-key.js';
export { type AllocationRequest, allocate, type SessionAllocation } from './allocation.js';
export { DIMENSIONS, type Dimension } from './dimension.js';
export { ScopeError, type ScopeErrorCode } from './errors.js';
export { normaliseText, trimSpace } from './folding.js';
export { resolveIdentity } from './identity-links.js';
export { type InboundContext, inboundContextSchema, parseInboundContext } from './inbound-context.js';
export { describeInbound, type InboundView } from './inbound-view.js';
export type { IdentityLinks, ScopePolicy } from './scope-policy.js';
export { scopeSignature } from './scope-signature.js';
export { sessionAliases } from './session-aliases.js';
export { explicitKey, isMainAlias, mainAlias, mainSessionKey, sessionKey } from './session-key.js';
export {
  buildScope,
  type EncodedScope,
  encodeScope,
  parseScope,
  type SessionScope,
  sessionScopeSchema,
} from './session-scope.js';
