import { expect, it } from 'vitest';
import * as surface from './index.js';

it('exports this and no more', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "backupSqlite",
      "checkSqlite",
      "createSqliteBackend",
      "openSqliteDriver",
      "openSqliteFile",
    ]
  `);
});
