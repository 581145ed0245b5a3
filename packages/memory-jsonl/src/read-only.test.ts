import { createMemoryBackend, type Message, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';

const said = (content: string): Message => ({ id: content, role: 'user', content });

/** One operation after the other, each of which leaves another history behind. */
const operations: readonly ((store: SessionBackend, n: number) => Promise<unknown>)[] = [
  (store, n) => store.append('s', [said(`${n}a`), said(`${n}b`), said(`${n}c`)]),
  (store, n) => store.replace('s', [said(`${n} instead`), said(`${n} and this`)]),
  (store, n) => store.append('s', [said(`${n} alone`)]),
  (store) => store.truncate('s', { keepLast: 2 }),
  (store) => store.compact('s'),
  (store, n) => store.append('s', [said(`${n}x`), said(`${n}y`)]),
  (store) => store.clear('s'),
];

async function contentsOf(store: SessionBackend, segment: 'active' | 'all') {
  return (await store.read('s', { segment })).map(({ content }) => content);
}

it('a reader sees a state that was, never one by halves, whatever a writer does meanwhile', async () => {
  const directory = await tempFolder();
  const writer = await createJsonlBackend({ directory });
  const model = createMemoryBackend();
  for (const store of [writer, model]) {
    await store.ensure('s');
    await store.append('s', [said('first')]);
  }
  const reader = await createJsonlBackend({ directory, readOnly: true });
  const states = [{ active: await contentsOf(model, 'active'), all: await contentsOf(model, 'all') }];
  let acknowledged = 0;
  let isWriting = true;

  const writing = (async () => {
    for (let n = 0; n < 70; n += 1) {
      const operation = operations[n % operations.length];
      await operation?.(model, n);
      states.push({ active: await contentsOf(model, 'active'), all: await contentsOf(model, 'all') });
      await operation?.(writer, n);
      acknowledged = n + 1;
    }
    isWriting = false;
  })();
  let reads = 0;
  while (isWriting) {
    for (const segment of ['active', 'all'] as const) {
      const from = acknowledged;
      const seen = await contentsOf(reader, segment);
      const possible = states.slice(from).map((state) => state[segment]);
      expect(possible).toContainEqual(seen);
      reads += 1;
    }
  }
  await writing;
  expect(await contentsOf(reader, 'all')).toEqual(states.at(-1)?.all);
  expect(reads).toBeGreaterThan(10);
  await reader.close();
  await writer.close();
});

it('a reader finds what was created, named and removed since it came', async () => {
  const directory = await tempFolder();
  const writer = await createJsonlBackend({ directory });
  await writer.ensure('old');
  const reader = await createJsonlBackend({ directory, readOnly: true });
  await writer.ensure('new', { title: 'New', aliases: ['agent:main:direct:new'] });
  await writer.append('new', [said('hello')]);
  await writer.delete('old');
  await expect.poll(() => reader.resolve('agent:main:direct:new'), { timeout: 20_000 }).toBe('new');
  expect(await contentOf(reader)).toEqual(['hello']);
  expect((await reader.list()).sessions.map(({ key, title }) => [key, title])).toEqual([['new', 'New']]);
  expect(await reader.meta('old')).toBeUndefined();
  await reader.close();
  await writer.close();
});

async function contentOf(store: SessionBackend) {
  return (await store.read('new')).map(({ content }) => content);
}
