import { expect, test } from 'vitest';
import * as surface from './index.js';

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
