import type * as z from 'zod/mini';
import { readAgentList } from './agent-list.js';
import { routingConfigSchema } from './config-schema.js';
import { readDispatchRules } from './dispatch-rules.js';
import { RoutingConfigError, type RoutingProblem } from './errors.js';
import { asWarning, type Finding } from './findings.js';
import type { RoutingConfig } from './routing-config.js';
import { readSessionPolicy } from './session-policy.js';

/** A configuration that was read as the reference reads it, and a sentence for each thing that it passes over. */
export interface LenientConfig {
  readonly config: RoutingConfig;
  readonly warnings: readonly string[];
}

/** Reads a configuration strictly. Throws `RoutingConfigError` with everything that is wrong with it. */
export function parseRoutingConfig(value: unknown): RoutingConfig {
  const { config, findings } = readConfig(value);
  const [first, ...rest] = findings.map(({ remedy: _, ...problem }): RoutingProblem => problem);
  if (first !== undefined) throw new RoutingConfigError([first, ...rest]);
  return config;
}

/**
 * Reads a configuration as leniently as the reference: unknown dimensions are dropped, unknown agents replaced by
 * the default, rules without constraint skipped. Throws `RoutingConfigError` `wrong_shape` where a value has not
 * even the right type.
 */
export function readRoutingConfig(value: unknown): LenientConfig {
  const { config, findings } = readConfig(value);
  return { config, warnings: findings.map(asWarning) };
}

function readConfig(value: unknown): {
  readonly config: RoutingConfig;
  readonly findings: readonly Finding[];
} {
  const parsed = routingConfigSchema.safeParse(value ?? {});
  if (!parsed.success) throw wrongShape(parsed.error);
  const { session, agents } = parsed.data;
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const policy = readSessionPolicy(session, report);
  const list = readAgentList(agents, report);
  const rules = readDispatchRules(agents, list, policy, report);
  const config = Object.freeze({ policy, agentIds: list.ids, defaultAgentId: list.defaultId, rules });
  return { config, findings };
}

function wrongShape(error: z.core.$ZodError): RoutingConfigError {
  const [first, ...rest] = error.issues.map(
    (issue): RoutingProblem => ({
      code: 'wrong_shape',
      path: spellPath(issue.path),
      ...ruleOf(issue.path),
      message: `It has the wrong shape; ${issue.message}.`,
    }),
  );
  return new RoutingConfigError(
    [first ?? { code: 'wrong_shape', path: '', message: 'The configuration has the wrong shape.' }, ...rest],
    error,
  );
}

function ruleOf(path: readonly PropertyKey[]): { readonly rule?: string } {
  const [, , , index] = path;
  return path[2] === 'rules' && typeof index === 'number' ? { rule: `#${index + 1}` } : {};
}

function spellPath(path: readonly PropertyKey[]): string {
  let spelled = '';
  for (const part of path) {
    if (typeof part === 'number') spelled += `[${part}]`;
    else if (/^[a-z_]+$/i.test(String(part))) spelled += `${spelled === '' ? '' : '.'}${String(part)}`;
    else spelled += `[${JSON.stringify(String(part))}]`;
  }
  return spelled;
}
