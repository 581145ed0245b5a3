import { describeInbound, type InboundContext, type InboundView, type ScopePolicy } from '@x/session-scope';
import type { DispatchRule } from './dispatch-rule.js';
import { type Constraint, meets, type SelectorField } from './dispatch-selector.js';
import type { RoutingConfig } from './routing-config.js';

/** Who answers a message, and what separates its session from others. */
export interface RouteDecision {
  readonly agentId: string;
  /** `default`, `dispatch.rule`, or `dispatch.rule:<name in lower case>`. */
  readonly matchedBy: string;
  readonly policy: ScopePolicy;
}

/** One rule that was tried. */
export interface RuleTrial {
  /** Its place in the configuration's list, from 0. */
  readonly index: number;
  readonly name?: string;
  /** The first constraint that the message did not meet; absent in the rule that matched. */
  readonly missed?: {
    readonly field: SelectorField;
    readonly expected: string | boolean;
    /** What the message has there; a forum chat by both of its names. Empty: nothing. */
    readonly found: readonly (string | boolean)[];
  };
}

/** A decision and how it came about. */
export interface RouteTrace {
  readonly decision: RouteDecision;
  /** The message as rules see it. */
  readonly view: InboundView;
  /** In order, up to and with the rule that matched. */
  readonly tried: readonly RuleTrial[];
}

export interface Router {
  /** Total and pure; its cost grows with the number of rules only. */
  route(context: InboundContext): RouteDecision;
  /** Decides as `route` does, and says why. */
  explain(context: InboundContext): RouteTrace;
}

/** A router over a configuration. The first rule whose constraints are all met decides. */
export function createRouter(config: RoutingConfig): Router {
  const fallback: RouteDecision = Object.freeze({
    agentId: config.defaultAgentId,
    matchedBy: 'default',
    policy: config.policy,
  });
  const decisions = new Map(config.rules.map((rule) => [rule, decisionOf(rule)]));
  const decide = (rule: DispatchRule | undefined): RouteDecision =>
    (rule === undefined ? undefined : decisions.get(rule)) ?? fallback;
  const matches = (rule: DispatchRule, view: InboundView): boolean =>
    rule.constraints.every((constraint) => meets(constraint, view));
  return {
    route(context) {
      const view = describeInbound(context, config.policy);
      return decide(config.rules.find((rule) => matches(rule, view)));
    },
    explain(context) {
      const view = describeInbound(context, config.policy);
      const winner = config.rules.findIndex((rule) => matches(rule, view));
      const tried = winner < 0 ? config.rules : config.rules.slice(0, winner + 1);
      return {
        decision: decide(config.rules[winner]),
        view,
        tried: tried.map((rule) => tryRule(rule, view)),
      };
    },
  };
}

function decisionOf({ agentId, name, policy }: DispatchRule): RouteDecision {
  return Object.freeze({
    agentId,
    matchedBy: name === '' ? 'dispatch.rule' : `dispatch.rule:${name}`,
    policy,
  });
}

function tryRule({ index, name, constraints }: DispatchRule, view: InboundView): RuleTrial {
  const missed = constraints.find((constraint) => !meets(constraint, view));
  return {
    index,
    ...(name !== '' && { name }),
    ...(missed !== undefined && { missed: describeMiss(missed, view) }),
  };
}

function describeMiss({ field, expected, exact }: Constraint, view: InboundView) {
  const names = field === 'chat' ? [view.chat, view.forumChat] : [view[field]];
  return {
    field,
    expected: view.isCaseSensitive ? exact : expected,
    found: names.filter((name) => name !== undefined),
  };
}
