import { readFileSync } from 'node:fs';
import { allocate, encodeScope, normaliseText, parseInboundContext, scopeSignature } from '@x/session-scope';
import { expect, test } from 'vitest';
import { createRouter, readRoutingConfig } from './index.js';

interface Vector {
  readonly config: unknown;
  readonly inbound: unknown;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** One copy serves both packages. */
const path = new URL('../../session-scope/test/vectors/session-keys.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as { readonly vectors: readonly Vector[] };

test('has all the vectors', () => {
  expect(vectors).toHaveLength(160);
});

test.each(vectors.map((vector, index) => ({ ...vector, index })))(
  'routes and allocates vector $index: $expected.signature',
  ({ config, inbound, expected }) => {
    const context = parseInboundContext(inbound);
    const route = createRouter(readRoutingConfig(config).config).route(context);
    const allocation = allocate({ agentId: route.agentId, context, policy: route.policy });
    expect({
      agent_id: route.agentId,
      matched_by: route.matchedBy,
      dimensions: route.policy.dimensions,
      // What the message says, not what the scope calls it: a message without a channel has none here.
      channel: normaliseText(context.channel),
      account: allocation.scope.account,
      scope: encodeScope(allocation.scope),
      signature: scopeSignature(allocation.scope),
      session_key: allocation.sessionKey,
      aliases: allocation.sessionAliases,
      main_key: allocation.mainSessionKey,
      main_aliases: allocation.mainAliases,
    }).toEqual(expected);
  },
);
