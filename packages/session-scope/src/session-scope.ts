import * as z from 'zod/mini';
import { normaliseAgentId } from './agent-id.js';
import type { Dimension } from './dimension.js';
import { ScopeError } from './errors.js';
import type { InboundContext } from './inbound-context.js';
import { describeInbound, type InboundView } from './inbound-view.js';
import { firstIssue } from './schema-issue.js';
import type { ScopePolicy } from './scope-policy.js';

/** The structured identity of a conversation. */
export interface SessionScope {
  readonly version: 1;
  readonly agentId: string;
  readonly channel: string;
  readonly account: string;
  /** In the order of the signature. Holdfast writes `DIMENSIONS` only; another program's words are kept. */
  readonly dimensions: readonly string[];
  /** One normalised value for each of `dimensions`. */
  readonly values: Readonly<Record<string, string>>;
  /** Ids kept their case (`session.case_sensitive_channels`), which gives another key. */
  readonly caseSensitive?: true;
}

/** The on-disk spelling. */
export interface EncodedScope {
  readonly version: 1;
  readonly agent_id: string;
  readonly channel: string;
  readonly account: string;
  readonly dimensions: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly case_sensitive?: true;
}

/** A scope for a message, under a policy: dimensions for which the message has no value are left out. */
export function buildScope(agentId: string, context: InboundContext, policy: ScopePolicy): SessionScope {
  const view = describeInbound(context, policy);
  const separatesTopics = policy.dimensions.includes('topic');
  const dimensions: Dimension[] = [];
  const values: Record<string, string> = {};
  for (const dimension of new Set(policy.dimensions)) {
    const value = dimensionValue(dimension, view, separatesTopics);
    if (value === undefined) continue;
    dimensions.push(dimension);
    values[dimension] = value;
  }
  return {
    version: 1,
    agentId: normaliseAgentId(agentId),
    channel: view.channel,
    account: view.account,
    dimensions,
    values,
    ...(view.isCaseSensitive && { caseSensitive: true }),
  };
}

/** Forum topics stay apart through the chat where no dimension of their own keeps them apart. */
function dimensionValue(
  dimension: Dimension,
  view: InboundView,
  separatesTopics: boolean,
): string | undefined {
  if (dimension === 'chat' && !separatesTopics) return view.forumChat ?? view.chat;
  return view[dimension];
}

/** A word that cannot be mistaken for anything else inside a signature. */
const dimensionName = z.string().check(z.regex(/^[a-z][a-z0-9_-]{0,63}$/, 'a lower-case word expected'));

const encodedScopeSchema = z.object({
  version: z.literal(1, 'version 1 expected'),
  agent_id: z.string(),
  channel: z.string(),
  account: z.string(),
  // PicoClaw writes null for an empty list.
  dimensions: z.nullish(z.array(dimensionName)),
  values: z.nullish(z.record(z.string(), z.string())),
  case_sensitive: z.nullish(z.boolean()),
});

/** Parses the on-disk spelling; unknown fields are ignored. */
export const sessionScopeSchema = z.pipe(
  encodedScopeSchema,
  z.transform(
    (scope): SessionScope => ({
      version: 1,
      agentId: scope.agent_id,
      channel: scope.channel,
      account: scope.account,
      dimensions: scope.dimensions ?? [],
      values: scope.values ?? {},
      ...(scope.case_sensitive === true && { caseSensitive: true }),
    }),
  ),
);

/** As `sessionScopeSchema`, with one readable sentence on failure: throws `ScopeError` `InvalidScope`. */
export function parseScope(value: unknown): SessionScope {
  const parsed = sessionScopeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, expected } = firstIssue(parsed.error);
  const place = path === '' ? 'The session scope' : `The session scope's field "${path}"`;
  throw new ScopeError('InvalidScope', path, `${place} cannot be read: ${expected}.`, parsed.error);
}

/** The on-disk spelling, its keys in PicoClaw's order and its values in the order of the dimensions. */
export function encodeScope(scope: SessionScope): EncodedScope {
  return {
    version: 1,
    agent_id: scope.agentId,
    channel: scope.channel,
    account: scope.account,
    dimensions: [...scope.dimensions],
    values: { ...scope.values },
    ...(scope.caseSensitive === true && { case_sensitive: true }),
  };
}
