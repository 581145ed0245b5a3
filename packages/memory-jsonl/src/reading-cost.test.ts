import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { failingDisk } from '../test/failing-disk.js';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

const messages = 20_000;

it('is that of what is returned, wherever it lies in a long history', async () => {
  const directory = await tempFolder();
  const lines = Array.from({ length: messages }, (_, index) =>
    JSON.stringify({
      seq: index + 1,
      id: `m${index + 1}`,
      created_at: '2026-01-01T00:00:00.000Z',
      role: 'user',
      content: 'x'.repeat(200),
    }),
  );
  await writeFile(join(directory, 's.jsonl'), `${lines.join('\n')}\n`);
  const first = await createJsonlBackend({ directory });
  await first.append('s', [{ id: 'last', role: 'user', content: 'last' }]);
  await first.truncate('s', { keepLast: 100 });
  await first.close();

  let reads = 0;
  const disk = failingDisk((call, path) => {
    if (call === 'read' && path.endsWith('s.jsonl')) reads += 1;
    return undefined;
  });
  const store = defineBackend(await openJsonlDriver({ directory }, disk));
  const ranges = [
    [{ order: 'desc', limit: 50 }, messages + 1],
    [{}, messages - 98],
    [{ segment: 'all', before: 9000, limit: 50, order: 'desc' }, 8999],
    [{ segment: 'all', after: 9000, limit: 50 }, 9001],
    [{ segment: 'all', limit: 50 }, 1],
  ] as const;
  for (const [range, firstSeq] of ranges) {
    reads = 0;
    const found = await store.read('s', range);
    expect(found[0]?.seq).toBe(firstSeq);
    // A block or two, and the halving that finds the place; the whole file would take more than a hundred blocks.
    expect(reads).toBeLessThan(25);
  }
  const again = await store.append('s', [
    { id: 'm17', role: 'user', content: 'sent twice' },
    { id: 'new', role: 'user', content: 'new' },
  ]);
  expect(again).toEqual([
    { id: 'm17', seq: 17, appended: false },
    { id: 'new', seq: messages + 2, appended: true },
  ]);
  await store.close();
});
