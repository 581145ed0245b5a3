import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionBackend } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';

/** The folder as a crash at this instant would leave it. */
async function crashed(directory: string): Promise<string> {
  const copy = await tempFolder();
  await cp(directory, copy, { recursive: true });
  await rm(join(copy, '.holdfast/lock'), { force: true });
  return copy;
}

async function view(store: SessionBackend, key: string) {
  const {
    updatedAt: _u,
    activeAt: _a,
    interactionAt: _i,
    segmentStartedAt: _s,
    ...meta
  } = (await store.meta(key)) ?? { key: '' };
  return { meta, all: await store.read(key, { segment: 'all' }), active: await store.read(key) };
}

describe('metadata that lags behind its history', () => {
  it('is repaired from the lines: counts, cutoff and seqs are those before the crash', async () => {
    const directory = await tempFolder();
    const store = await createJsonlBackend({ directory });
    await store.ensure('s', { title: 'kept' });
    for (let count = 1; count <= 6; count += 1)
      await store.append('s', [{ role: 'user', content: `${count}` }]);
    await store.truncate('s', { keepLast: 2, summary: 'so far' });
    await store.append('s', [
      { role: 'assistant', content: '7' },
      { role: 'user', content: '8' },
    ]);
    const before = await view(store, 's');

    const again = await createJsonlBackend({ directory: await crashed(directory) });
    expect(await view(again, 's')).toEqual(before);
    await again.append('s', [{ role: 'user', content: 'next' }]);
    expect((await again.read('s')).at(-1)?.seq).toBe(9);
    await again.close();
    await store.close();
  });

  it('does not misplace a session in the list', async () => {
    const directory = await tempFolder();
    const store = await createJsonlBackend({ directory });
    for (const key of ['a', 'b', 'c']) await store.ensure(key);
    await store.append('a', [{ role: 'user', content: 'latest' }]);
    const again = await createJsonlBackend({ directory: await crashed(directory) });
    expect((await again.list({ limit: 1 })).sessions[0]?.key).toBe('a');
    await again.close();
    await store.close();
  });

  it('and is lost altogether is told anew, for each of many sessions', async () => {
    const directory = await tempFolder();
    const store = await createJsonlBackend({ directory });
    const keys = Array.from({ length: 30 }, (_, index) => `sk_v1_${index}`);
    for (const key of keys) {
      await store.ensure(key);
      await store.append(key, [{ id: `of ${key}`, role: 'user', content: key }]);
    }
    await store.close();
    for (const [index, key] of keys.entries()) {
      const path = join(directory, `${key}.meta.json`);
      if (index % 2 === 0) await rm(path);
      else await writeFile(path, '{"key": "sk_');
    }
    const findings: Finding[] = [];
    for (let round = 0; round < 2; round += 1) {
      const again = await createJsonlBackend({ directory, onFinding: (finding) => findings.push(finding) });
      expect((await again.list()).sessions.map(({ key }) => key).sort()).toEqual([...keys].sort());
      for (const key of keys)
        expect(await again.read(key)).toMatchObject([{ id: `of ${key}`, seq: 1, content: key }]);
      await again.append('sk_v1_1', [{ id: 'of sk_v1_1', role: 'user', content: 'sent twice' }]);
      await again.close();
    }
    // Each once: closed, the store leaves metadata that can be read.
    expect(findings.filter(({ code }) => code === 'broken-metadata').length).toBe(15);
  });
});

describe('times', () => {
  it('of messages survive replacing and compacting, and a missing one stays what it was first taken for', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 's.jsonl'), '{"role":"user","content":"untimed"}\n');
    const times = ['2026-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z'];
    let store = await createJsonlBackend({ directory });
    const [untimed] = await store.read('s');
    await store.append(
      's',
      times.map((createdAt) => ({ role: 'user', content: createdAt, createdAt })),
    );
    const seen = async () => (await store.read('s')).map(({ createdAt }) => createdAt);
    const expected = [untimed?.createdAt, ...times];
    expect(await seen()).toEqual(expected);
    await store.close();
    store = await createJsonlBackend({ directory });
    expect(await seen()).toEqual(expected);
    await store.replace('s', (await store.read('s')).slice(0, 4));
    await store.truncate('s', { keepLast: 3 });
    await store.compact('s');
    await store.close();
    store = await createJsonlBackend({ directory });
    expect(await seen()).toEqual(times);
    await store.close();
    expect(await readFile(join(directory, 's.jsonl'), 'utf8')).toContain('"created_at":"1970-01-01');
  });
});
