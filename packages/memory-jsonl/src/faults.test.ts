import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineBackend, type ExportEntry, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { codeError, failingDisk } from '../test/failing-disk.js';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

const fixed = { now: () => new Date(Date.UTC(2026, 0, 1)), newId: () => 'the-new-one' };
const operations: { readonly [name: string]: (store: SessionBackend) => Promise<unknown> } = {
  append: (store) => store.append('s', [{ role: 'user', content: 'new' }]),
  'append of several': (store) =>
    store.append('s', [
      { id: 'x', role: 'user', content: 'x' },
      { role: 'user', content: 'y' },
    ]),
  'append to a new session': (store) => store.append('empty', [{ role: 'user', content: 'new' }]),
  'append that wakes': (store) => store.append('asleep', [{ role: 'user', content: 'new' }]),
  ensure: (store) => store.ensure('s', { title: 'titled', aliases: ['agent:main:direct:new'] }),
  'ensure of a new one': (store) => store.ensure('fresh', { aliases: ['agent:main:direct:new'] }),
  truncate: (store) => store.truncate('s', { keepLast: 1, summary: 'cut' }),
  reset: (store) => store.reset('s'),
  compact: (store) => store.compact('s'),
  replace: (store) => store.replace('s', [{ role: 'user', content: 'instead' }]),
  clear: (store) => store.clear('s'),
  promote: (store) => store.promote('empty', ['agent:main:direct:old']),
  delete: (store) => store.delete('s'),
  purge: (store) => store.purge('gone'),
};

async function prepared(): Promise<string> {
  const directory = await tempFolder();
  const store = await createJsonlBackend({ directory, ...fixed });
  for (const key of ['s', 'empty', 'asleep', 'gone', 'agent:main:direct:old']) {
    await store.ensure(key);
    if (key === 'empty') continue;
    await store.append(
      key,
      ['a', 'b', 'c'].map((id) => ({ id, role: 'user' as const, content: id })),
    );
  }
  await store.truncate('s', { keepLast: 2 });
  await store.archive('asleep');
  await store.delete('gone');
  await store.close();
  return directory;
}

async function stateOf(directory: string): Promise<readonly ExportEntry[]> {
  const store = await createJsonlBackend({ directory, ...fixed });
  const entries: ExportEntry[] = [];
  for await (const entry of store.export()) {
    // Repaired metadata takes times from the file.
    if (entry.type === 'message') entries.push(entry);
    else {
      const {
        updatedAt: _u,
        activeAt: _a,
        interactionAt: _i,
        segmentStartedAt: _s,
        ...session
      } = entry.session;
      entries.push({ type: 'session', session: session as typeof entry.session });
    }
  }
  expect(await store.resolve('agent:main:direct:old')).toBeDefined();
  await store.close();
  return entries;
}

it.each(Object.keys(operations))(
  'whatever call of the disk fails during "%s", it has happened or has not',
  async (name) => {
    const operation = operations[name];
    if (operation === undefined) throw new Error(name);
    const original = await prepared();
    const before = await stateOf(original);
    let after: readonly ExportEntry[] = [];
    for (let nth = 0; ; nth += 1) {
      const directory = await tempFolder();
      await cp(original, directory, { recursive: true });
      let calls = 0;
      let isOn = false;
      const disk = failingDisk(() => {
        if (!isOn) return undefined;
        calls += 1;
        return calls === nth ? codeError('EIO') : undefined;
      });
      const store = defineBackend(await openJsonlDriver({ directory, now: fixed.now }, disk), fixed);
      isOn = true;
      const isDone = await operation(store).then(
        () => true,
        () => false,
      );
      isOn = false;
      await store.close();
      const state = await stateOf(directory);
      expect(await readdir(join(directory, '.holdfast/staged'))).toEqual([]);
      // The first round fails nothing.
      if (nth === 0) after = state;
      if (isDone) expect(state).toEqual(after);
      else expect([before, after]).toContainEqual(state);
      if (nth > calls) break;
    }
    expect(after).not.toEqual(before);
  },
  180_000,
);
