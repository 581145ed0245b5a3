import { readFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { legacyFolder } from '../test/legacy-folder.js';
import * as surface from './index.js';

vi.mock('@x/memory-jsonl', () => import('./index.js'));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('exports these names', () => {
  expect(Object.keys(surface).sort()).toEqual([
    'createJsonlBackend',
    'holdsLegacySessions',
    'inspectJsonl',
    'legacyHoldsEverything',
    'mendJsonl',
    'migrateFromJson',
    'openJsonlDriver',
    'openLegacyBackend',
    'openLegacyJsonStore',
    'sealMigration',
  ]);
});

it('the example runs', async () => {
  vi.stubEnv('SESSIONS', await tempFolder());
  const lines: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  await import('../examples/remember.js');
  expect(lines).toEqual(['1 user: Remember the milk.', '2 assistant: Noted.']);
});

it('the example of older files runs', async () => {
  const directory = await legacyFolder();
  vi.stubEnv('SESSIONS', directory);
  const lines: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  await import('../examples/from-older-files.js');
  expect(lines).toEqual([
    'agent:main:direct:user9: 3 messages',
    'nokey: 1 messages',
    'telegram:123456: 3 messages',
    'broken.json: it is no JSON; left where it is.',
    'foreign-file',
    'foreign-file',
    'foreign-file',
  ]);
});

it.each(['remember', 'from-older-files'])('the README shows the example %s as it is', async (name) => {
  const [readme, example] = await Promise.all(
    ['../README.md', `../examples/${name}.ts`].map((path) =>
      readFile(new URL(path, import.meta.url), 'utf8'),
    ),
  );
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
});
