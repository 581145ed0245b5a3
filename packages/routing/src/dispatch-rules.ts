import { normaliseAgentId, normaliseText, type ScopePolicy } from '@x/session-scope';
import type { AgentList } from './agent-list.js';
import type { WrittenAgents, WrittenRule } from './config-schema.js';
import { type DispatchRule, shadows } from './dispatch-rule.js';
import { readSelector, SELECTOR_FIELDS } from './dispatch-selector.js';
import { listed, type Report } from './findings.js';
import { readDimensions } from './session-policy.js';

interface RulePlace {
  readonly index: number;
  readonly path: string;
  /** How sentences call the rule. */
  readonly title: string;
}

/** The `agents.dispatch.rules` block. */
export function readDispatchRules(
  agents: WrittenAgents | null | undefined,
  list: AgentList,
  policy: ScopePolicy,
  report: Report,
): readonly DispatchRule[] {
  const rules: DispatchRule[] = [];
  const titles = new Map<string, string>();
  for (const [index, written] of (agents?.dispatch?.rules ?? []).entries()) {
    const name = normaliseText(written.name ?? '');
    const place: RulePlace = {
      index,
      path: `agents.dispatch.rules[${index}]`,
      title: name === '' ? `#${index + 1}` : JSON.stringify(name),
    };
    if (name !== '') claimName(titles, name, place, report);
    const rule = readRule(written, name, place, list, policy, report);
    if (rule === undefined) continue;
    reportShadow(rules, rule, place, report);
    rules.push(rule);
  }
  return Object.freeze(rules);
}

function readRule(
  written: WrittenRule,
  name: string,
  place: RulePlace,
  list: AgentList,
  policy: ScopePolicy,
  report: Report,
): DispatchRule | undefined {
  const agentId = readAgent(written, place, list, report);
  const dimensions = readDimensions(
    written.session_dimensions ?? [],
    `${place.path}.session_dimensions`,
    report,
    place.title,
  );
  const constraints = readSelector(written.when);
  if (constraints.length === 0) {
    report({
      code: 'no_constraint',
      path: `${place.path}.when`,
      rule: place.title,
      message: `Rule ${place.title} has no constraint; expected at least one of ${listed(SELECTOR_FIELDS)}.`,
      remedy: 'It is skipped.',
    });
    return undefined;
  }
  const replacesDimensions = (written.session_dimensions ?? []).length > 0;
  return Object.freeze({
    index: place.index,
    name,
    agentId,
    constraints: Object.freeze(constraints),
    policy: replacesDimensions ? Object.freeze({ ...policy, dimensions }) : policy,
  });
}

function readAgent(written: WrittenRule, place: RulePlace, list: AgentList, report: Report): string {
  const remedy = `The default agent ${list.defaultId} answers.`;
  const known = list.ids.length === 0 ? 'the id of an agent' : `one of ${listed(list.ids)}`;
  const found = { path: `${place.path}.agent`, rule: place.title, remedy };
  if (normaliseText(written.agent ?? '') === '') {
    report({
      ...found,
      code: 'missing_agent',
      message: `Rule ${place.title} names no agent; expected ${known}.`,
    });
    return list.defaultId;
  }
  const agentId = normaliseAgentId(written.agent ?? '');
  // Without a list any agent may be meant: there is nothing to compare with.
  if (list.ids.length === 0 || list.ids.includes(agentId)) return agentId;
  report({
    ...found,
    code: 'unknown_agent',
    message: `Rule ${place.title} names the agent "${written.agent}", which is not in agents.list; expected ${known}.`,
  });
  return list.defaultId;
}

function claimName(titles: Map<string, string>, name: string, place: RulePlace, report: Report): void {
  const earlier = titles.get(name);
  if (earlier === undefined) {
    titles.set(name, place.path);
    return;
  }
  report({
    code: 'duplicate_rule_name',
    path: `${place.path}.name`,
    rule: place.title,
    message: `Rule ${place.title} has the name of ${earlier}; expected a name of its own, so that it can be told apart.`,
    remedy: 'Both rules are kept.',
  });
}

function reportShadow(
  earlier: readonly DispatchRule[],
  rule: DispatchRule,
  place: RulePlace,
  report: Report,
): void {
  const shadow = earlier.find((candidate) => shadows(candidate, rule));
  if (shadow === undefined) return;
  report({
    code: 'unreachable_rule',
    path: place.path,
    rule: place.title,
    message: `Rule ${place.title} is never reached: agents.dispatch.rules[${shadow.index}] takes every message it would take; expected the narrower rule first.`,
    remedy: 'It is kept, without effect.',
  });
}
