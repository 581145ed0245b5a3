import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { backupSqlite, checkSqlite, createSqliteBackend } from './index.js';

it('copies one moment of a store that is written to meanwhile', async () => {
  const folder = await tempFolder();
  const [file, copy] = [join(folder, 'live.db'), join(folder, 'copy.db')];
  const store = await createSqliteBackend({ file, synchronous: 'normal' });
  await store.ensure('a');
  await store.append(
    'a',
    Array.from({ length: 500 }, (_, index) => ({
      role: 'user' as const,
      content: `${index} ${'x'.repeat(2000)}`,
    })),
  );
  let isCopying = true;
  const writing = (async () => {
    while (isCopying) await store.append('a', [{ role: 'user', content: 'meanwhile' }]);
  })();
  const { bytes } = await backupSqlite(file, copy);
  isCopying = false;
  await writing;
  expect(bytes).toBeGreaterThan(1_000_000);
  await store.close();

  expect(await checkSqlite(copy)).toEqual([]);
  const backup = await createSqliteBackend({ file: copy });
  const messages = await backup.read('a');
  expect(messages.length).toBeGreaterThanOrEqual(500);
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  await backup.close();
  expect((await readdir(folder)).sort()).toEqual(['copy.db', 'live.db']);
});

it('does not write over anything, and leaves nothing where it fails', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'live.db');
  await (await createSqliteBackend({ file })).close();
  await expect(backupSqlite(file, file)).rejects.toMatchObject({ code: 'StoreFailed' });
  await expect(backupSqlite(join(folder, 'missing.db'), join(folder, 'copy.db'))).rejects.toMatchObject({
    code: 'StoreFailed',
  });
  expect(await readdir(folder)).toEqual(['live.db']);
});
