import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('shows the example that is in the examples folder', () => {
  expect(text('README.md')).toContain(`\`\`\`ts\n${text('examples/one-route.ts')}\`\`\`\n`);
});

test('prints what the README says the example prints', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('../examples/one-route.js');
  const printed = print.mock.calls.map(([line]) => `${line}\n`).join('');
  print.mockRestore();
  expect(text('README.md')).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
});
