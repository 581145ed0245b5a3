import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

vi.mock('@x/scheduler', () => import('./index.js'));

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('the README shows the example that is in the examples folder', () => {
  expect(text('README.md')).toContain(`\`\`\`ts\n${text('examples/reminders.ts')}\`\`\`\n`);
});

test('the example prints what the README says', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('../examples/reminders.js');
  const printed = print.mock.calls.map(([line]) => `${line}\n`).join('');
  print.mockRestore();
  expect(text('README.md')).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
});
