export type RoutingProblemCode =
  | 'wrong_shape'
  | 'unknown_dimension'
  | 'no_known_dimension'
  | 'unknown_dm_scope'
  | 'empty_agent_id'
  | 'duplicate_agent'
  | 'two_defaults'
  | 'missing_agent'
  | 'unknown_agent'
  | 'no_constraint'
  | 'duplicate_rule_name'
  | 'unreachable_rule'
  | 'empty_identity_name'
  | 'ambiguous_identity';

/** One thing wrong with a routing configuration. */
export interface RoutingProblem {
  readonly code: RoutingProblemCode;
  /** Where in the configuration: `agents.dispatch.rules[1].agent`. */
  readonly path: string;
  /** The rule it concerns: `"vip"`, or `#2` when it has no name. */
  readonly rule?: string;
  /** One sentence: what is wrong, and what was expected. */
  readonly message: string;
}

/** A routing configuration that must not be used. `problems` holds all of them; the other fields are the first's. */
export class RoutingConfigError extends Error {
  readonly code: RoutingProblemCode;
  readonly path: string;
  readonly rule: string | undefined;
  readonly problems: readonly [RoutingProblem, ...RoutingProblem[]];

  constructor(problems: readonly [RoutingProblem, ...RoutingProblem[]], cause?: unknown) {
    const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(lines.join('\n'), cause === undefined ? undefined : { cause });
    this.name = 'RoutingConfigError';
    this.code = problems[0].code;
    this.path = problems[0].path;
    this.rule = problems[0].rule;
    this.problems = problems;
  }
}
