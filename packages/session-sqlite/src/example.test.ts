import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { tempFolder } from '../test/folders.js';

vi.mock('@x/session-sqlite', () => import('./index.js'));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('the example runs', async () => {
  vi.stubEnv('SESSIONS', join(await tempFolder(), 'sessions.db'));
  const lines: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  await import('../examples/shared-file.js');
  expect(lines).toEqual([
    '1 user: Where did I leave the umbrella?',
    '2 assistant: By the door.',
    'telegram:77:1',
  ]);
});

it('the README shows the example as it is', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('../examples/shared-file.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
});
