import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { nodeDisk } from './disk.js';
import { finishIntents } from './intent.js';
import { layoutOf } from './layout.js';

const steps = [
  { do: 'move', from: 's.meta.json', to: 's.meta.json.broken-1' },
  { do: 'move', from: '.holdfast/staged/a', to: 's.meta.json' },
];

it.each([
  ['nothing', { 's.meta.json': 'broken', '.holdfast/staged/a': 'new' }],
  ['the first step', { 's.meta.json.broken-1': 'broken', '.holdfast/staged/a': 'new' }],
  ['all', { 's.meta.json.broken-1': 'broken', 's.meta.json': 'new' }],
])('is finished wherever a crash cut it off: %s was done', async (_what, files) => {
  const directory = await tempFolder();
  const layout = layoutOf(directory);
  await mkdir(layout.intents, { recursive: true });
  await mkdir(layout.staged, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  await writeFile(join(layout.intents, 'x.json'), JSON.stringify({ version: 1, steps }));
  expect(await finishIntents(nodeDisk, layout, () => {})).toBe(1);
  expect(await readFile(join(directory, 's.meta.json'), 'utf8')).toBe('new');
  expect(await readFile(join(directory, 's.meta.json.broken-1'), 'utf8')).toBe('broken');
  expect([...(await readdir(layout.intents)), ...(await readdir(layout.staged))]).toEqual([]);
});
