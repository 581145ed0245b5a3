import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineBackend, StoreFailed, StoreFull } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { codeError, failingDisk, type Judge } from '../test/failing-disk.js';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

async function openWith(directory: string) {
  const judges: Judge[] = [];
  const disk = failingDisk((call, path) => judges[0]?.(call, path));
  const store = defineBackend(await openJsonlDriver({ directory }, disk));
  return {
    store,
    fail(judge: Judge) {
      judges[0] = judge;
    },
    mend() {
      judges.length = 0;
    },
  };
}

describe('an append that fails', () => {
  it.each([
    ['the sync', 'datasync'],
    ['the write', 'write'],
  ])(
    'at %s is reported, leaves nothing behind, and writing goes on once there is room',
    async (_what, failing) => {
      const directory = await tempFolder();
      const { store, fail, mend } = await openWith(directory);
      await store.ensure('s');
      await store.append('s', [{ role: 'user', content: 'one' }]);
      let failures = 0;
      fail((call, path) =>
        call === failing && path.endsWith('s.jsonl') && ++failures === 1 ? codeError('ENOSPC') : undefined,
      );
      await expect(store.append('s', [{ role: 'user', content: 'two' }])).rejects.toBeInstanceOf(StoreFull);
      expect((await store.read('s')).map(({ content }) => content)).toEqual(['one']);
      mend();
      await store.append('s', [{ role: 'user', content: 'three' }]);
      expect((await store.read('s')).map(({ content, seq }) => [content, seq])).toEqual([
        ['one', 1],
        ['three', 2],
      ]);
      expect((await readFile(join(directory, 's.jsonl'), 'utf8')).split('\n')).toHaveLength(3);
      await store.close();
    },
  );

  it('and cannot be undone ends the writing to that session, until the store is opened again', async () => {
    const directory = await tempFolder();
    const { store, fail, mend } = await openWith(directory);
    await store.ensure('s');
    await store.append('s', [{ role: 'user', content: 'one' }]);
    fail((call, path) =>
      path.endsWith('s.jsonl') && ['datasync', 'truncate'].includes(call) ? codeError('EIO') : undefined,
    );
    await expect(store.append('s', [{ role: 'user', content: 'two' }])).rejects.toBeInstanceOf(StoreFailed);
    mend();
    await expect(store.append('s', [{ role: 'user', content: 'three' }])).rejects.toThrow(/open it again/);
    await store.ensure('other');
    await store.append('other', [{ role: 'user', content: 'fine' }]);
    await store.close();
    const again = await createJsonlBackend({ directory });
    await again.append('s', [{ role: 'user', content: 'four' }]);
    expect((await again.read('s')).at(-1)?.content).toBe('four');
    await again.close();
  });
});

describe('a change of several files that fails', () => {
  it.each(['open', 'write', 'writeFile', 'datasync', 'sync', 'rename', 'unlink', 'truncate'])(
    'at any %s is there before or after, never by halves',
    async (failing) => {
      for (let nth = 1; nth <= 12; nth += 1) {
        const directory = await tempFolder();
        const { store, fail, mend } = await openWith(directory);
        await store.ensure('s');
        await store.append(
          's',
          Array.from({ length: 4 }, (_, index) => ({ role: 'user' as const, content: String(index) })),
        );
        await store.truncate('s', { keepLast: 2 });
        let calls = 0;
        fail((call) => (call === failing && ++calls === nth ? codeError('EIO') : undefined));
        const failed = await store.compact('s').then(
          () => false,
          () => true,
        );
        mend();
        const kept = (await store.read('s')).map(({ content }) => content);
        expect(kept).toEqual(['2', '3']);
        await store.close();
        const again = await createJsonlBackend({ directory });
        expect((await again.read('s')).map(({ content }) => content)).toEqual(['2', '3']);
        expect([2, 4]).toContain((await again.read('s', { segment: 'all' })).length);
        await again.append('s', [{ role: 'user', content: 'next' }]);
        expect((await again.read('s')).map(({ content, seq }) => [content, seq])).toEqual([
          ['2', 3],
          ['3', 4],
          ['next', 5],
        ]);
        await again.close();
        if (!failed && calls < nth) break;
      }
    },
    180_000,
  );
});

describe('an intent that a crash left behind', () => {
  it('is finished at the next opening, shown to readers, and left alone where it points elsewhere', async () => {
    const directory = await tempFolder();
    const { store } = await openWith(directory);
    await store.ensure('s');
    await store.append('s', [{ role: 'user', content: 'one' }]);
    await store.close();
    const text = `${JSON.stringify({ seq: 2, id: 'm2', role: 'user', content: 'two' })}\n`;
    const at = (await readFile(join(directory, 's.jsonl'))).length;
    const intents = join(directory, '.holdfast/intents');
    await writeFile(
      join(intents, 'a.json'),
      JSON.stringify({ version: 1, steps: [{ do: 'append', file: 's.jsonl', at, text }] }),
    );
    await writeFile(
      join(intents, 'b.json'),
      JSON.stringify({ version: 1, steps: [{ do: 'remove', file: '../../x' }] }),
    );
    await writeFile(join(directory, 's.jsonl'), text.slice(0, 9), { flag: 'a' });

    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => findings.push(finding);
    await (await createJsonlBackend({ directory, readOnly: true, onFinding })).close();
    expect(findings.map(({ code }) => code)).toContain('unfinished-change');
    findings.length = 0;
    const again = await createJsonlBackend({ directory, onFinding });
    expect((await again.read('s')).map(({ content }) => content)).toEqual(['one', 'two']);
    await again.close();
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['unreadable-intent', join(intents, 'b.json')],
    ]);
    expect(await readdir(intents)).toEqual(['b.json']);
  });
});

describe('a folder that cannot be used', () => {
  it('is named, with what to do', async () => {
    const directory = await tempFolder();
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expect(createJsonlBackend({ directory: file })).rejects.toThrow(/file is not a folder/);
    await expect(createJsonlBackend({ directory: join(directory, 'none'), readOnly: true })).rejects.toThrow(
      /does not exist/,
    );
    const refusing = failingDisk((call) => (call === 'mkdir' ? codeError('EACCES') : undefined));
    const refused = await openJsonlDriver({ directory }, refusing).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreFailed);
    expect((refused as StoreFailed).message).toMatch(/cannot be opened for writing/);
    expect((refused as StoreFailed).path).toBe(directory);
  });
});
