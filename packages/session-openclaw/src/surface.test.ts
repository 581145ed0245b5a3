import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { contentOf, fixtureFolder, temporaryFolder } from '../test/folders.js';
import * as surface from './index.js';

vi.mock('@x/session-openclaw', () => import('./index.js'));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('exports these names', () => {
  expect(Object.keys(surface).sort()).toEqual([
    'createOpenclawBackend',
    'openOpenclawDriver',
    'updateIndex',
    'writeOpenclawFolder',
  ]);
});

test('the README shows the example as it is, and it runs', async () => {
  const example = readFileSync(join(import.meta.dirname, '../examples/bring-over.ts'), 'utf8');
  expect(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')).toContain(
    `\`\`\`ts\n${example}\`\`\``,
  );
  const back = temporaryFolder();
  vi.stubEnv('OPENCLAW', fixtureFolder('openclaw'));
  vi.stubEnv('BACK', back);
  const lines: unknown[] = [];
  const problems: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  vi.spyOn(console, 'error').mockImplementation((line) => void problems.push(line));
  await import('../examples/bring-over.js');
  expect(lines).toContain('agent:main:telegram:group:-1001234567890: 3 messages, "Writers"');
  expect(lines.at(-1)).toBe('7 sessions written');
  expect(problems).toHaveLength(4);
  expect(Object.keys(contentOf(back))).toHaveLength(7);
});
