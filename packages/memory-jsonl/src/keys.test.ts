import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';

const long = 'k'.repeat(400);
const keys = [
  'agent:main:telegram:group:-100123/12',
  'C01/1700.5',
  'a\\b',
  'a:b',
  'a_b',
  'A_b',
  '..',
  '.',
  'CON',
  'con',
  'x?*<>',
  '../../etc/x',
  '/etc/passwd',
  'line\nbreak',
  '🙂',
  'with space',
  `${long}1`,
  `${long}2`,
  'lock',
  '.holdfast',
  'a.meta',
  'a',
];

it('gives every key a file of its own, inside the folder, with a portable name', async () => {
  const outer = await tempFolder();
  const directory = join(outer, 'sessions');
  let store = await createJsonlBackend({ directory });
  for (const key of keys) {
    await store.ensure(key);
    await store.append(key, [{ role: 'user', content: `said in ${key}` }]);
  }
  await store.close();
  store = await createJsonlBackend({ directory });
  const { sessions } = await store.list();
  expect(sessions.map(({ key }) => key).sort()).toEqual([...keys].sort());
  for (const key of keys) expect(await store.read(key)).toMatchObject([{ content: `said in ${key}` }]);
  await store.close();
  const files = await filesIn(directory);
  expect(files).toHaveLength(2 * keys.length);
  for (const file of files) expect(file).toMatch(/^[A-Za-z0-9._-]+$/);
  expect(await readdir(outer)).toEqual(['sessions']);
});

it('leaves foreign files alone and lists none of them', async () => {
  const { cp } = await import('node:fs/promises');
  const directory = await tempFolder();
  await cp(join(import.meta.dirname, '../test/fixtures/picoclaw-legacy/sessions'), directory, {
    recursive: true,
  });
  const before = await filesIn(directory);
  const store = await createJsonlBackend({ directory });
  expect((await store.list()).sessions).toEqual([]);
  await store.close();
  expect(await filesIn(directory)).toEqual(before);
});
