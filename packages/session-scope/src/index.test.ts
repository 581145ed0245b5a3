import { expect, test } from 'vitest';
import * as surface from './index.js';
import * as openclaw from './openclaw/index.js';

test('exports what the README names, and nothing else', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "DIMENSIONS",
      "ScopeError",
      "allocate",
      "buildScope",
      "describeInbound",
      "encodeScope",
      "explicitKey",
      "inboundContextSchema",
      "isMainAlias",
      "mainAlias",
      "mainSessionKey",
      "normaliseAccount",
      "normaliseAgentId",
      "normaliseText",
      "parseAgentKey",
      "parseInboundContext",
      "parseScope",
      "resolveIdentity",
      "scopeSignature",
      "sessionAliases",
      "sessionKey",
      "sessionScopeSchema",
      "trimSpace",
    ]
  `);
});

test('exports of the OpenClaw path', () => {
  expect(Object.keys(openclaw).sort()).toEqual([
    'canonicalOpenclawKey',
    'formatOpenclawKey',
    'openclawAliases',
    'openclawKeyOfScope',
    'openclawSession',
    'parseOpenclawKey',
    'scopeOfOpenclawKey',
  ]);
});
