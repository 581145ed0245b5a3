import type { ScopePolicy } from '@x/session-scope';
import type { DispatchRule } from './dispatch-rule.js';

/** A routing configuration as the router uses it: normalised, checked and frozen. */
export interface RoutingConfig {
  /** How sessions are told apart where no rule says otherwise. */
  readonly policy: ScopePolicy;
  /** The agents that exist, in the order of the list. Empty: a rule may name any. */
  readonly agentIds: readonly string[];
  readonly defaultAgentId: string;
  /** In the order in which they are tried. Rules without any constraint are not among them. */
  readonly rules: readonly DispatchRule[];
}
