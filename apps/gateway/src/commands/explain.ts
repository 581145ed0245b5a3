import type { Readable, Writable } from 'node:stream';
import { createRouter, type Router, RoutingConfigError, readRoutingConfig } from '@x/routing';
import {
  allocate,
  encodeScope,
  inboundContextSchema,
  normaliseAccount,
  normaliseText,
  type SessionScope,
  scopeSignature,
} from '@x/session-scope';
import { z } from 'zod';
import { schemaProblems } from '../configuration/schema-problems.js';
import { RunError } from '../run-error.js';
import { textLines } from '../text-lines.js';

const lineSchema = z.object({ inbound: inboundContextSchema, config: z.unknown().optional() });

/**
 * Says of each inbound context (one JSON object a line, `{"config"?, "inbound"}` or the context alone) where it
 * lands and why. A configuration in the line is read leniently, with warnings beside the result.
 */
export async function explain(router: Router, input: Readable, output: Writable): Promise<void> {
  let number = 0;
  for await (const line of textLines(input)) {
    number += 1;
    if (line.trim() === '') continue;
    output.write(`${JSON.stringify(explainLine(router, line, number))}\n`);
  }
}

function explainLine(configured: Router, line: string, number: number) {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RunError(`Line ${number} of the input is not JSON.`);
  }
  const isWrapped = typeof value === 'object' && value !== null && 'inbound' in value;
  const parsed = lineSchema.safeParse(isWrapped ? value : { inbound: value });
  if (!parsed.success) {
    const { path, message } = schemaProblems(parsed.error)[0] ?? {
      path: '',
      message: 'not an inbound context',
    };
    throw new RunError(`Line ${number} of the input: ${path === '' ? '' : `${path}: `}${message}`);
  }
  const { inbound, config } = parsed.data;
  const inline = config === undefined ? undefined : inlineConfiguration(config, number);
  const router = inline === undefined ? configured : createRouter(inline.config);

  const route = router.route(inbound);
  const allocation = allocate({ agentId: route.agentId, context: inbound, policy: route.policy });
  const { scope } = allocation;
  return {
    agent_id: route.agentId,
    matched_by: route.matchedBy,
    // As rules see them: the scope says `unknown` where a message names no channel.
    channel: normaliseText(inbound.channel),
    account: normaliseAccount(inbound.account),
    dimensions: route.policy.dimensions,
    scope: writtenScope(scope),
    signature: scopeSignature(scope),
    session_key: allocation.sessionKey,
    aliases: allocation.sessionAliases,
    main_key: allocation.mainSessionKey,
    main_aliases: allocation.mainAliases,
    ...(inline === undefined ? {} : { warnings: inline.warnings }),
  };
}

/** Lenient about what it says, not about its shape. */
function inlineConfiguration(config: unknown, line: number) {
  try {
    return readRoutingConfig(config);
  } catch (error) {
    if (!(error instanceof RoutingConfigError)) throw error;
    throw new RunError(`Line ${line} of the input: config: ${error.message.replaceAll('\n', '; ')}`);
  }
}

/** As PicoClaw writes it: the values in the order of their names. */
function writtenScope(scope: SessionScope) {
  const encoded = encodeScope(scope);
  const values = Object.entries(encoded.values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { ...encoded, values: Object.fromEntries(values) };
}
