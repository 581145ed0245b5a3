import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMemoryBackend, defineBackend, StoreFull, StoreLocked } from '@x/session-store';
import { expect, it } from 'vitest';
import { codeError, failingDisk } from '../../test/failing-disk.js';
import expected from '../../test/fixtures/picoclaw-legacy/expected.json' with { type: 'json' };
import { tempFolder } from '../../test/folders.js';
import { contentOf, legacyFolder, legacyJson } from '../../test/legacy-folder.js';
import {
  createJsonlBackend,
  holdsLegacySessions,
  legacyHoldsEverything,
  migrateFromJson,
  openLegacyBackend,
  openLegacyJsonStore,
  sealMigration,
} from '../index.js';
import { openLegacyDriver } from './legacy-driver.js';

/** What PicoClaw would read of a file of its own. */
async function picoclawReads(directory: string, file: string) {
  const { key, messages, summary, created, updated } = JSON.parse(
    await readFile(join(directory, file), 'utf8'),
  ) as { [name: string]: unknown; messages: { role: string; content: string }[] };
  expect([typeof key, typeof created, typeof updated]).toEqual(['string', 'string', 'string']);
  return { key, summary, contents: messages.map(({ content }) => content) };
}

it('has the ten methods over the older files, which PicoClaw goes on with', async () => {
  const directory = await legacyFolder();
  const unreadable: string[] = [];
  const store = await openLegacyJsonStore({ directory, onUnreadable: (file) => unreadable.push(file) });
  expect(unreadable).toEqual(['broken.json']);
  expect([...(await store.listSessions())].sort()).toEqual(Object.keys(expected.migrated).sort());
  expect(await store.getSummary('telegram:123456')).toBe('A short visit.');

  store.addMessage('telegram:123456', 'user', 'again');
  store.addFullMessage('telegram:123456', { role: 'assistant', content: 'welcome back' });
  store.setSummary('telegram:123456', 'Two visits.');
  store.truncateHistory('telegram:123456', 2);
  store.setHistory('nokey', [{ role: 'user', content: 'instead' }]);
  store.addMessage('broken', 'user', 'a session beside the broken file');
  store.save('telegram:123456');
  await store.flush();
  expect((await store.getHistory('telegram:123456')).map(({ content }) => content)).toEqual([
    'again',
    'welcome back',
  ]);
  await store.close();

  expect(await picoclawReads(directory, 'telegram_123456.json')).toEqual({
    key: 'telegram:123456',
    summary: 'Two visits.',
    contents: ['again', 'welcome back'],
  });
  expect((await picoclawReads(directory, 'nokey.json')).contents).toEqual(['instead']);
  const content = await contentOf(directory);
  expect(content['broken.json']).toBe('{"key":"broken","messages":[{"role":"user","content":"cut');
  expect(Object.keys(content).filter((name) => /^broken-.*\.json$/.test(name))).toHaveLength(1);

  const again = await openLegacyJsonStore({ directory });
  expect((await again.getHistory('telegram:123456')).map(({ content: text }) => text)).toEqual([
    'again',
    'welcome back',
  ]);
  expect(await again.listSessions()).toHaveLength(4);
  await again.close();
});

it('leaves the files of sessions alone that nobody writes to', async () => {
  const directory = await legacyFolder();
  const before = await contentOf(directory);
  const backend = await openLegacyBackend({ directory });
  await backend.append('nokey', [{ role: 'user', content: 'more' }]);
  await backend.close();
  const { 'nokey.json': _changed, ...others } = await contentOf(directory);
  const { 'nokey.json': _was, ...othersBefore } = before;
  expect(others).toEqual(othersBefore);
});

it('hands everything on to the newer store, what PicoClaw has no word for included', async () => {
  const directory = await tempFolder();
  const legacy = await openLegacyBackend({ directory });
  await legacy.ensure('s', { title: 'Ada', aliases: ['agent:main:direct:ada'] });
  await legacy.append(
    's',
    ['one', 'two', 'three'].map((content) => ({ role: 'user', content })),
  );
  await legacy.truncate('s', { keepLast: 1 });
  await legacy.ensure('gone');
  await legacy.delete('gone');
  const wanted = [await legacy.meta('s'), await legacy.read('s', { segment: 'all' })];
  await legacy.close();
  const backend = createMemoryBackend();
  await migrateFromJson(directory, backend);
  const [meta, messages] = [await backend.meta('s'), await backend.read('s', { segment: 'all' })];
  const { legacy: _mark, ...attributes } = meta?.attributes ?? {};
  expect([{ ...meta, attributes }, messages]).toEqual(wanted);
  expect(await backend.resolve('agent:main:direct:ada')).toBe('s');
  expect((await backend.list({ deleted: true })).sessions.map(({ key }) => key)).toEqual(['gone']);
});

it('reads on where PicoClaw has written in between', async () => {
  const directory = await tempFolder();
  const first = await openLegacyBackend({ directory });
  await first.ensure('k', { title: 'Ours' });
  await first.append('k', [{ role: 'user', content: 'one' }]);
  await first.close();
  await writeFile(join(directory, 'k.json'), legacyJson('k', ['one', 'two']));
  const second = await openLegacyBackend({ directory });
  expect((await second.read('k')).map(({ content }) => content)).toEqual(['one', 'two']);
  await second.close();
});

it('never names a file as the metadata of the newer format is named', async () => {
  const directory = await tempFolder();
  const store = await openLegacyBackend({ directory });
  for (const key of ['x.meta', 'X.META', 'a:b', 'a/b', '../up']) await store.ensure(key);
  await store.close();
  expect((await readdir(directory)).filter((name) => /\.meta\.json$/i.test(name))).toEqual([]);
  const again = await openLegacyBackend({ directory });
  expect((await again.list()).sessions.map(({ key }) => key).sort()).toEqual(
    ['x.meta', 'X.META', 'a:b', 'a/b', '../up'].sort(),
  );
  await again.close();
});

it('keeps a second process out', async () => {
  const directory = await legacyFolder();
  const store = await openLegacyBackend({ directory });
  await expect(openLegacyBackend({ directory })).rejects.toThrow(StoreLocked);
  await store.close();
  await (await openLegacyBackend({ directory })).close();
  expect(await readdir(directory)).not.toContain('.holdfast-legacy');
});

it('has changed nothing where a write fails', async () => {
  const directory = await legacyFolder();
  const before = await contentOf(directory);
  for (const call of ['open', 'writeFile', 'datasync', 'rename']) {
    let isFull = false;
    const disk = failingDisk((name) => (isFull && name === call ? codeError('ENOSPC') : undefined));
    const backend = defineBackend(await openLegacyDriver({ directory }, disk));
    isFull = true;
    await expect(backend.append('nokey', [{ role: 'user', content: 'lost' }])).rejects.toThrow(StoreFull);
    isFull = false;
    expect(await backend.read('nokey')).toHaveLength(1);
    await backend.close();
    expect(await contentOf(directory)).toEqual(before);
  }
});

it('is all there is until a migration was sealed', async () => {
  const directory = await legacyFolder();
  expect(holdsLegacySessions(directory)).toBe(true);
  expect(legacyHoldsEverything(directory)).toBe(true);
  const backend = await createJsonlBackend({ directory });
  const migration = await migrateFromJson(directory, backend);
  // Copied, but nothing is final yet.
  expect(legacyHoldsEverything(directory)).toBe(true);
  await sealMigration(directory, migration);
  await backend.close();
  expect(legacyHoldsEverything(directory)).toBe(false);
  await writeFile(join(directory, 'late.json'), legacyJson(undefined, ['late']));
  expect(legacyHoldsEverything(directory)).toBe(false);

  const mixed = await tempFolder();
  await writeFile(join(mixed, 'a.json'), legacyJson(undefined, ['one']));
  await writeFile(join(mixed, 'b.jsonl'), '{"role":"user","content":"newer"}\n');
  expect(legacyHoldsEverything(mixed)).toBe(false);
  expect(holdsLegacySessions(await tempFolder())).toBe(false);
});
