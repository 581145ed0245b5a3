import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineBackend, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { picoclawView, tempFolder } from '../test/folders.js';
import { nodeDisk } from './disk.js';
import { openJsonlDriver } from './jsonl-driver.js';

const writer = join(import.meta.dirname, '../test/killed-writer.mjs');
const count = 40;
/** All that the writer touches and that is still there. */
const touched = ['k:1', 'k:2', 'k:3', 'k:4', 'k:5', 'k:7', 'k:9', 'k:10', 'k:new'];
const bounds = {
  filesKeptOpen: 8,
  sessionsLagging: 8,
  idSlotsKept: 1024,
  journalBytes: 65_536,
  indexedFrom: 10,
};

/** `read`: the metadata files that were read since. */
async function open(directory: string) {
  const read: string[] = [];
  const disk = {
    ...nodeDisk,
    readNow(path: string) {
      if (path.endsWith('.meta.json')) read.push(path);
      return nodeDisk.readNow(path);
    },
  };
  return { read, store: defineBackend(await openJsonlDriver({ directory }, disk, bounds)) };
}

async function killed(): Promise<string> {
  const directory = await tempFolder();
  const { store } = await open(directory);
  for (let n = 0; n < count; n += 1) {
    await store.ensure(`k:${n}`, { aliases: [`agent:main:direct:${n}`], title: `Title ${n}` });
    await store.append(`k:${n}`, [{ role: 'user', content: `said in ${n}` }]);
  }
  await store.archive('k:7');
  await store.delete('k:9');
  await store.close();
  const ended = await promisify(execFile)(process.execPath, [writer, directory]).catch((error) => error);
  expect(ended).toMatchObject({ signal: 'SIGKILL' });
  return directory;
}

async function overview(store: SessionBackend) {
  const entries: unknown[] = [];
  for await (const entry of store.export()) entries.push(entry);
  const names = Array.from({ length: count }, (_, n) => `agent:main:direct:${n}`);
  return {
    entries,
    order: (await store.list({ limit: 100, archived: 'include' })).sessions.map(({ key }) => key),
    resolved: await Promise.all([...names, 'agent:main:direct:new'].map((name) => store.resolve(name))),
  };
}

it('only the sessions that were touched are read anew, with the answers that all files give', async () => {
  const directory = await killed();
  const first = await open(directory);
  expect(new Set(first.read).size).toBeLessThanOrEqual(touched.length);
  const told = await overview(first.store);
  expect(new Set(first.read).size).toBeLessThanOrEqual(touched.length);
  await first.store.close();
  // The folder was closed: its index is whole again.
  const second = await open(directory);
  expect(await overview(second.store)).toEqual(told);
  expect(second.read).toEqual([]);
  await second.store.close();
  await rm(join(directory, '.holdfast/index'));
  const third = await open(directory);
  expect(await overview(third.store)).toEqual(told);
  await third.store.close();
});

it('opening and closing leaves right metadata behind, also of sessions that nobody used again', async () => {
  const directory = await killed();
  await (await open(directory)).store.close();
  for (const key of ['k:1', 'k:2', 'k:3', 'k:4']) {
    const { count: lines, messages } = await picoclawView(directory, key);
    expect(lines).toBe(2);
    expect(messages).toHaveLength(2);
  }
  expect((await picoclawView(directory, 'k:new')).messages.map(({ content }) => content)).toEqual(['new']);
});

it('what another program did to the folder meanwhile is seen as well', async () => {
  const directory = await killed();
  const path = (key: string) => join(directory, `${key.replace(':', '_')}.meta.json`);
  const text = await readFile(path('k:20'), 'utf8');
  // An alias that is another's puts all of them in question.
  await writeFile(path('k:20'), text.replace('agent:main:direct:20', 'agent:main:direct:21'));
  await rm(path('k:22'));
  await rm(join(directory, 'k_22.jsonl'));
  await writeFile(path('k:other'), text.replaceAll('k:20', 'k:other').replace('direct:20', 'direct:other'));
  await writeFile(join(directory, 'by-hand.jsonl'), '{"role":"user","content":"by hand"}\n');
  const { store } = await open(directory);
  expect(await store.meta('k:22')).toBeUndefined();
  expect(await store.resolve('agent:main:direct:other')).toBe('k:other');
  expect(await store.resolve('agent:main:direct:20')).toBeUndefined();
  expect(await store.resolve('agent:main:direct:21')).toBe('k:20');
  expect((await store.read('by-hand')).map(({ content }) => content)).toEqual(['by hand']);
  await store.close();
});
