import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@x/session-store';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';

const said = (content: string): Message => ({ role: 'user', content });

async function openWithThree() {
  const directory = await tempFolder();
  const findings: Finding[] = [];
  const store = await createJsonlBackend({ directory, onFinding: (finding) => findings.push(finding) });
  await store.ensure('s', { title: 'kept' });
  await store.append('s', [said('one'), said('two'), said('three')]);
  return { directory, findings, store, path: join(directory, 's.jsonl') };
}

const foreign = '{"role":"assistant","content":"from PicoClaw"}\n';

it.each(['append', 'replace', 'compact'] as const)(
  'what PicoClaw appends while the folder is open is there after our %s',
  async (operation) => {
    const { directory, findings, store, path } = await openWithThree();
    await store.truncate('s', { keepLast: 1 });
    await appendFile(path, foreign);
    if (operation === 'append') await store.append('s', [said('ours')]);
    else if (operation === 'compact') await store.compact('s');
    else await store.replace('s', [said('instead')]);
    await store.append('s', [said('last')]);
    const seen = (await store.read('s', { segment: 'all' })).map(({ content }) => content);
    expect(seen.at(-1)).toBe('last');
    if (operation !== 'replace') expect(seen).toContain('from PicoClaw');
    expect(findings.map(({ code }) => code)).toContain('changed-outside');
    const seqs = (await store.read('s', { segment: 'all' })).map(({ seq }) => seq);
    await store.close();
    const again = await createJsonlBackend({ directory });
    expect((await again.read('s', { segment: 'all' })).map(({ seq }) => seq)).toEqual(seqs);
    expect((await again.meta('s'))?.title).toBe('kept');
    await again.close();
  },
);

it('a history that PicoClaw has written anew is the history from then on', async () => {
  const { directory, store, path } = await openWithThree();
  await writeFile(`${path}.tmp`, foreign.repeat(2));
  await rename(`${path}.tmp`, path);
  const metaPath = join(directory, 's.meta.json');
  const { holdfast: _dropped, ...meta } = JSON.parse(await readFile(metaPath, 'utf8'));
  await writeFile(metaPath, JSON.stringify({ ...meta, skip: 1, count: 2 }));
  await store.append('s', [said('ours')]);
  expect((await store.read('s')).map(({ content }) => content)).toEqual(['from PicoClaw', 'ours']);
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(4);
  await store.close();
});
