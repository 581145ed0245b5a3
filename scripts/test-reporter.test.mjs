import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'node_modules/vitest/vitest.mjs');

const sources = {
  'good.test.mjs': "test('a', () => {});\ntest('b', () => {});\n",
  'bad.test.mjs': "test('c', () => { throw new Error('no'); });\n",
  'skipped.test.mjs': "test('d', (context) => context.skip('no browser here'));\ntest.skip('e', () => {});\n",
  'broken.test.mjs': "throw new Error('cannot load');\n",
  'stray.test.mjs': "test('f', () => { Promise.reject(new Error('nobody waits')); });\n",
};

describe('the test reporter', () => {
  let folder;
  let report;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-reporter-'));
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
    const reporter = join(root, 'scripts/test-reporter.mjs');
    const args = [program, 'run', '--root', folder, '--globals', `--reporter=${reporter}`];
    const env = { ...process.env, HOLDFAST_TEST_REPORT: join(folder, 'report.json') };
    await new Promise((resolve) => execFile(process.execPath, args, { cwd: folder, env }, resolve));
    report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('counts a file that cannot be loaded and an error outside every test as failures', () => {
    expect(report.projects).toEqual({
      tests: { passed: 3, failed: 2, skipped: 2 },
      'outside any test': { passed: 0, failed: 1, skipped: 0 },
    });
  });

  it('keeps the reason of a skip', () => {
    expect(report.skips).toEqual([
      { project: 'tests', file: 'skipped.test.mjs', test: 'd', reason: 'no browser here' },
      { project: 'tests', file: 'skipped.test.mjs', test: 'e', reason: 'marked as skip' },
    ]);
  });
});
