import { expect, test } from 'vitest';
import * as surface from './index.js';

test('exports what the README names, and nothing else', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "RoutingConfigError",
      "chooseModel",
      "createRouter",
      "parseRoutingConfig",
      "readRoutingConfig",
      "routingConfigSchema",
      "scoreTurn",
      "turnFeatures",
    ]
  `);
});
