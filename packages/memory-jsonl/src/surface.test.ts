import { readFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { tempFolder } from '../test/folders.js';
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

it('the README shows the example as it is', async () => {
  const [readme, example] = await Promise.all(
    ['../README.md', '../examples/remember.ts'].map((path) =>
      readFile(new URL(path, import.meta.url), 'utf8'),
    ),
  );
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
});
