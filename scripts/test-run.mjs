import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BootstrapFailed, bootstrap } from './bootstrap.mjs';
import { captureChild } from './child-process.mjs';
import { testEnvironment } from './environment.mjs';
import { readStamp } from './fingerprint.mjs';
import { workspacePackages } from './workspace.mjs';

/**
 * The whole test run: build, checks, then every test. Prints a table and, last, `N passed, N failed, N skipped`.
 * Words before the first option narrow the run to packages and files whose path contains one of them; the rest
 * goes to vitest.
 * @param {string} root
 * @param {string[]} args
 * @returns {Promise<number>} 0 when nothing failed, else 1
 */
export async function testRun(root, args) {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  const rows = [];
  const report = (row) => {
    rows.push(row);
    process.stdout.write(`${line(row)}\n`);
  };

  const build = await timed('build', () => built(root));
  report(build.row);
  if (build.outcome.complete) {
    const env = testEnvironment(root);
    // Compiling keeps one core busy for as long as the short checks together keep the other.
    const { long, short } = checks(root, words);
    const inTurn = async (wanted) => {
      for (const each of wanted) report(await check(each, root, env));
    };
    await Promise.all([inTurn(long), inTurn(short)]);
    for (const row of await vitest(root, args, env)) report(row);
  }
  return close(rows);
}

async function built(root) {
  try {
    await bootstrap(root);
    return { passed: 1, complete: true };
  } catch (error) {
    if (!(error instanceof BootstrapFailed)) throw error;
    process.stderr.write(`holdfast: ${error.message}\n`);
    // Without tools nothing can be said; with a broken package the others can still be looked at.
    return { failed: 1, complete: error.step === 'build' };
  }
}

function checks(root, words) {
  const tool = (path) => [process.execPath, join(root, 'node_modules', path)];
  const script = (name) => [process.execPath, join(root, 'scripts', name)];
  const pnpm = [
    process.execPath,
    join(root, '.tools/node_modules/pnpm/bin/pnpm.cjs'),
    '--silent',
    '--recursive',
  ];
  const packages = workspacePackages(root).filter(
    ({ folder, manifest }) =>
      manifest.scripts?.types && (words.length === 0 || words.some((word) => folder.includes(word))),
  );
  const types = {
    name: 'types',
    about: `${packages.length} packages`,
    command: [
      ...pnpm,
      '--no-sort',
      '--no-bail',
      '--workspace-concurrency=2',
      ...packages.map(({ folder }) => `--filter=./${folder}`),
      'run',
      'types',
    ],
  };
  const long = packages.length > 0 ? [types] : [];
  if (words.length > 0) return { long, short: [] };
  const short = [
    { name: 'lint', command: [...tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'] },
    {
      name: 'layers',
      command: [
        ...tool('dependency-cruiser/bin/dependency-cruise.mjs'),
        '--config',
        '.dependency-cruiser.cjs',
        'packages',
        'apps',
      ],
    },
    { name: 'names', command: script('check-names.mjs') },
    { name: 'promises', command: script('check-promises.mjs') },
    { name: 'dead code', command: [...tool('knip/bin/knip.js'), '--no-progress', '--no-config-hints'] },
  ];
  return { long, short };
}

async function check(wanted, root, env) {
  const { row, outcome } = await timed(wanted.name, async () => {
    const [command, ...args] = wanted.command;
    const { code, output } = await captureChild(command, args, { cwd: root, env });
    return { [code === 0 ? 'passed' : 'failed']: 1, output };
  });
  if (row.failed || /^note: /m.test(outcome.output)) process.stdout.write(`\n${outcome.output.trim()}\n\n`);
  return { ...row, about: wanted.about };
}

/** All tests of all packages in one run: one pool of workers, one list of failures. */
async function vitest(root, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
  const reportPath = join(folder, 'report.json');
  try {
    const { row, outcome } = await timed('tests', async () => {
      const child = spawn(
        process.execPath,
        [
          join(root, 'node_modules/vitest/vitest.mjs'),
          'run',
          '--reporter=default',
          `--reporter=${join(root, 'scripts/test-reporter.mjs')}`,
          ...args,
        ],
        {
          cwd: root,
          env: { ...env, HOLDFAST_TEST_REPORT: reportPath },
          stdio: ['ignore', 'inherit', 'inherit'],
        },
      );
      return { code: await new Promise((resolve) => child.on('close', resolve)) };
    });
    const report = readStamp(reportPath);
    if (!report)
      return [{ ...row, failed: 1, about: `vitest ended with code ${outcome.code} and no report` }];
    const rows = Object.entries(report.projects).map(([name, counts]) => ({ name, ...counts }));
    if (rows.length === 0) return [{ ...row, failed: 1, about: 'no test file matches' }];
    rows[0].skips = report.skips;
    if (outcome.code !== 0 && rows.every(({ failed }) => failed === 0)) {
      rows.push({ ...row, failed: 1, about: `vitest ended with code ${outcome.code}` });
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(name, work) {
  const started = performance.now();
  const outcome = await work();
  const { passed = 0, failed = 0 } = outcome;
  return { outcome, row: { name, passed, failed, skipped: 0, ms: performance.now() - started } };
}

function close(rows) {
  const sum = (count) => rows.reduce((total, row) => total + row[count], 0);
  const skips = rows.flatMap((row) => row.skips ?? []);
  process.stdout.write('\n');
  for (const row of rows) process.stdout.write(`${line(row)}\n`);
  for (const skip of skips) process.stdout.write(`skipped: ${skip.file} > ${skip.test}: ${skip.reason}\n`);
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
  return sum('failed') === 0 ? 0 : 1;
}

function line({ name, passed, failed, skipped, ms, about }) {
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const time = ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`;
  return `${failed ? '✗' : '✓'} ${name.padEnd(18)} ${counts.filter(Boolean).join(', ').padEnd(34)} ${time.padStart(8)}  ${about ?? ''}`.trimEnd();
}
