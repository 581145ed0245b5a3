import type { ScopePolicy } from '@x/session-scope';
import type { Constraint } from './dispatch-selector.js';

/** A rule as the router tries it. */
export interface DispatchRule {
  /** Its place in the configuration's list, from 0. */
  readonly index: number;
  /** Trimmed and lower-cased; empty when it has none. */
  readonly name: string;
  readonly agentId: string;
  /** Never empty; all of them must be met. */
  readonly constraints: readonly Constraint[];
  readonly policy: ScopePolicy;
}

/** Whether every message that the later rule would take is taken by the earlier one. */
export function shadows(earlier: DispatchRule, later: DispatchRule): boolean {
  const casesMatter = (later.policy.caseSensitiveChannels?.length ?? 0) > 0;
  return earlier.constraints.every((wide) =>
    later.constraints.some(
      (narrow) =>
        narrow.field === wide.field &&
        narrow.expected === wide.expected &&
        (!casesMatter || narrow.exact === wide.exact),
    ),
  );
}
