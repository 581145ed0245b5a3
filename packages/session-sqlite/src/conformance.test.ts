import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance, conformanceModel } from '@x/session-store/conformance';
import { describe, it } from 'vitest';
import { openSqliteDriver, type SqliteFileOptions } from './index.js';

function inFile(options: Partial<SqliteFileOptions>) {
  return {
    test: (name: string, body: () => Promise<void>) => it(name, body),
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'));
      return {
        open: () => openSqliteDriver({ file: join(folder, 'sessions.db'), ...options }),
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  };
}

const inMemory = {
  test: (name: string, body: () => Promise<void>) => it(name, body),
  create: async () => ({ open: () => openSqliteDriver({ file: ':memory:' }) }),
};

describe('a SQLite file keeps the contract', () => {
  conformance(inFile({}));
  conformanceModel(inFile({ synchronous: 'normal' }));
});

describe('a SQLite database in memory keeps the contract', () => {
  conformance(inMemory);
  conformanceModel(inMemory);
});
