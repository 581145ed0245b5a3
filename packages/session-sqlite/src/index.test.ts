import { expect, it } from 'vitest';
import * as surface from './index.js';

it('exports this and no more', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "MemoryError",
      "backupSqlite",
      "checkSqlite",
      "createJobStore",
      "createMemoryStore",
      "createSkillEventStore",
      "createSqliteBackend",
      "openSqliteDriver",
      "openSqliteFile",
    ]
  `);
});
