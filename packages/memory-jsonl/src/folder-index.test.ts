import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineBackend, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { nodeDisk } from './disk.js';
import { openJsonlDriver } from './jsonl-driver.js';

const bounds = {
  filesKeptOpen: 8,
  sessionsLagging: 8,
  idSlotsKept: 1024,
  journalBytes: 65_536,
  indexedFrom: 10,
};
const count = 30;

async function open(directory: string, readOnly = false) {
  let metadataRead = 0;
  const disk = {
    ...nodeDisk,
    readNow(path: string) {
      if (path.endsWith('.meta.json')) metadataRead += 1;
      return nodeDisk.readNow(path);
    },
  };
  const store = defineBackend(await openJsonlDriver({ directory, readOnly }, disk, bounds));
  return { store, metadataRead: () => metadataRead };
}

async function folder(): Promise<string> {
  const directory = await tempFolder();
  const { store } = await open(directory);
  for (let n = 0; n < count; n += 1) {
    await store.ensure(`k:${n}`, { aliases: [`agent:main:direct:${n}`], title: `Title ${n}` });
    await store.append(`k:${n}`, [{ role: 'user', content: `said in ${n}` }]);
  }
  await store.archive('k:7');
  await store.delete('k:9');
  await store.close();
  return directory;
}

async function overview(store: SessionBackend) {
  const { sessions } = await store.list({ limit: 100, archived: 'include' });
  return {
    sessions,
    deleted: (await store.list({ deleted: true })).sessions,
    resolved: await store.resolve('agent:main:direct:12'),
    read: await store.read('k:12'),
  };
}

async function withoutIndex(directory: string) {
  await rm(join(directory, '.holdfast/index'), { force: true });
  const { store } = await open(directory);
  const told = await overview(store);
  await store.close();
  return told;
}

it('a folder that was closed opens without its metadata files, with the same answers', async () => {
  const directory = await folder();
  for (const readOnly of [true, false]) {
    const { store, metadataRead } = await open(directory, readOnly);
    const told = await overview(store);
    expect(metadataRead()).toBe(0);
    expect(told.sessions).toHaveLength(count - 1);
    expect(told.resolved).toBe('k:12');
    await store.close();
    if (!readOnly) expect(told).toEqual(await withoutIndex(directory));
  }
});

it('what changed behind its back is seen: metadata renamed in, a history grown, the index damaged', async () => {
  const directory = await folder();
  const meta = await readFile(join(directory, 'k_3.meta.json'), 'utf8');
  await writeFile(join(directory, 'k_other.meta.json'), meta.replaceAll('k:3', 'k:other'));
  const first = await open(directory);
  expect((await first.store.list({ limit: 100 })).sessions.map(({ key }) => key)).toContain('k:other');
  expect(first.metadataRead()).toBeGreaterThan(count - 1);
  await first.store.close();

  await appendFile(join(directory, 'k_5.jsonl'), '{"role":"user","content":"by hand"}\n');
  const second = await open(directory);
  expect((await second.store.read('k:5')).map(({ content }) => content)).toEqual(['said in 5', 'by hand']);
  expect((await second.store.meta('k:5'))?.activeCount).toBe(2);
  await second.store.close();

  const index = join(directory, '.holdfast/index');
  const whole = await readFile(index);
  const wanted = await withoutIndex(directory);
  for (const at of [5, 60, 200, whole.length >> 1, whole.length - 30]) {
    const damaged = Buffer.from(whole);
    damaged.fill(0, at, at + 20);
    await writeFile(index, damaged);
    const { store } = await open(directory);
    expect(await overview(store)).toEqual(wanted);
    await store.close();
  }
});

it('is put aside while the folder is open, so that a crash leaves none to believe', async () => {
  const directory = await folder();
  const { store } = await open(directory);
  expect(await readdir(join(directory, '.holdfast'))).not.toContain('index');
  await store.append('k:1', [{ role: 'user', content: 'latest' }]);
  expect((await store.list({ limit: 1 })).sessions[0]?.key).toBe('k:1');
  await store.close();
  expect(await readdir(join(directory, '.holdfast'))).toContain('index');
});
