import { expect, it } from 'vitest';
import * as surface from './index.js';

it('exports this and no more', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "MemoryError",
      "backupSqlite",
      "checkSqlite",
      "createDeliveryStore",
      "createJobStore",
      "createMemoryStore",
      "createPairingStore",
      "createSkillEventStore",
      "createSqliteBackend",
      "openSqliteDriver",
      "openSqliteFile",
    ]
  `);
});
