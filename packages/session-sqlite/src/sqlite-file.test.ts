import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createSqliteBackend, openSqliteFile, type SqliteFile } from './index.js';

it('carries a store that leaves it open, and is whole after it is closed itself', async () => {
  const path = join(await tempFolder(), 'shared.db');
  const file = await openSqliteFile({ file: path, synchronous: 'normal' });
  const first = await createSqliteBackend({ file });
  expect(first.capabilities).toMatchObject({ durable: 'process', sharing: 'many-processes' });
  await first.ensure('a');
  const [, closed] = await Promise.all([
    first.append('a', [{ role: 'user', content: 'before the end' }]),
    first.close(),
  ]);
  expect(closed).toBeUndefined();
  await expect(first.read('a')).rejects.toMatchObject({ code: 'StoreClosed' });

  const second = await createSqliteBackend({ file });
  expect((await second.read('a')).map(({ content }) => content)).toEqual(['before the end']);
  await second.close();
  await file.close();
  await file.close();
  const again = await createSqliteBackend({ file: path });
  expect((await again.search('before')).hits).toHaveLength(1);
  await again.close();
});

it('is what openSqliteFile opened, and nothing that looks like it', async () => {
  const alike: SqliteFile = { path: ':memory:', readOnly: false, close: async () => {} };
  await expect(createSqliteBackend({ file: alike })).rejects.toMatchObject({ code: 'StoreFailed' });
});
