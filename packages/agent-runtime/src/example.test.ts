import { readFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';

vi.mock('@x/agent-runtime', () => import('./index.js'));
afterEach(() => vi.restoreAllMocks());

const example = new URL('../examples/one-turn.ts', import.meta.url);

it('the example runs, alone, with a backend in memory and a mock model', async () => {
  const lines: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  await import('../examples/one-turn.js');
  expect(lines).toEqual([
    'clock: start',
    'clock: end',
    'It is noon.',
    '1 user',
    '2 assistant',
    '3 tool',
    '4 assistant',
  ]);
});

it('the README shows the example as it is', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});
