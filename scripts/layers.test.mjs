import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const known = [
  'session-scope',
  'routing',
  'session-store',
  'memory-jsonl',
  'session-sqlite',
  'session-postgres',
  'session-openclaw',
  'scheduler',
  'agent-runtime',
];
const allowed = {
  'session-scope': [],
  routing: ['session-scope'],
  'session-store': ['session-scope'],
  'agent-runtime': ['session-store', 'routing', 'session-scope'],
};
const allowedTo = (name) => allowed[name] ?? ['session-store', 'session-scope'];

/** A tree in which every package exists, is built, and can be reached by every other, as a careless install would allow. */
function plantHouse(files) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const packages = [...known.map((name) => `packages/${name}`), 'packages/stranger', 'apps/gateway'];
  const names = packages.map((path) => path.split('/')[1]);
  put('package.json', JSON.stringify({ name: 'planted', private: true }));
  put('tsconfig.base.json', '{"compilerOptions":{"module":"ESNext","moduleResolution":"Bundler"}}');
  for (const path of packages) {
    const own = path.split('/')[1];
    put(
      `${path}/package.json`,
      JSON.stringify({
        name: `@x/${own}`,
        type: 'module',
        exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' } },
        dependencies: Object.fromEntries(
          names.filter((n) => n !== own).map((n) => [`@x/${n}`, 'workspace:*']),
        ),
        peerDependencies: { peer: '1.0.0' },
        peerDependenciesMeta: { peer: { optional: true } },
        devDependencies: { 'for-tests': '1.0.0', peer: '1.0.0' },
      }),
    );
    put(`${path}/dist/index.js`, 'export const value = 1;\n');
    put(`${path}/dist/index.d.ts`, 'export declare const value: number;\n');
    put(`${path}/src/index.ts`, 'export const value = 1;\n');
    mkdirSync(join(folder, path, 'node_modules/@x'), { recursive: true });
    for (const other of packages.filter((each) => each !== path)) {
      symlinkSync(join(folder, other), join(folder, path, 'node_modules/@x', other.split('/')[1]));
    }
    for (const dependency of ['for-tests', 'peer', 'undeclared']) {
      put(`${path}/node_modules/${dependency}/package.json`, `{"name":"${dependency}","main":"index.js"}`);
      put(`${path}/node_modules/${dependency}/index.js`, 'module.exports = 1;\n');
    }
  }
  for (const [path, content] of Object.entries(files)) put(path, content);
  return folder;
}

/** Every broken rule as "rule: file". */
function violations(folder) {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(root, '.dependency-cruiser.cjs');
  const args = [program, '--config', config, '--output-type', 'json', 'packages', 'apps'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout) => {
      if (!stdout) return reject(error);
      const { summary } = JSON.parse(stdout);
      resolve(new Set(summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)));
    });
  });
}

const importOf = (specifier) => `import * as it from '${specifier}';\nexport const used = it;\n`;

const forbiddenArrows = known.flatMap((from) =>
  known.filter((to) => to !== from && !allowedTo(from).includes(to)).map((to) => ({ from, to })),
);
const allowedArrows = known.flatMap((from) => allowedTo(from).map((to) => ({ from, to })));

const otherViolations = [
  ['a package that the rules do not name', 'unknown-package: packages/stranger/src/index.ts'],
  ['a package that imports an app', 'no-import-of-apps: packages/agent-runtime/src/app.ts'],
  ['a package that imports an app by path', 'no-import-of-apps: packages/agent-runtime/src/app-by-path.ts'],
  ['a test of a package that imports an app', 'no-import-of-apps: packages/agent-runtime/src/app.test.ts'],
  ["another package's source by path", 'no-foreign-source: packages/routing/src/foreign.ts'],
  ["another package's source in a test", 'no-foreign-source: packages/routing/src/foreign.test.ts'],
  ["another package's source in the app", 'no-foreign-source: apps/gateway/src/foreign.ts'],
  ['a path that a package does not export', 'no-unresolvable: packages/routing/src/private-path.ts'],
  ['a circle', 'no-circular: packages/routing/src/left.ts'],
  ['a file that is not there', 'no-unresolvable: packages/routing/src/missing.ts'],
  ['a dependency that package.json does not name', 'no-undeclared: packages/routing/src/undeclared.ts'],
  ['a development dependency in source', 'no-dev-dependency-in-source: packages/routing/src/for-tests.ts'],
  ['a test imported by source', 'no-test-in-source: packages/routing/src/from-test.ts'],
];

describe('layers', () => {
  let folder;
  let found;

  beforeAll(async () => {
    const files = {};
    for (const { from, to } of forbiddenArrows) {
      files[`packages/${from}/src/to-${to}.ts`] = importOf(`@x/${to}`);
      files[`packages/${from}/src/type-of-${to}.ts`] =
        `import type { value } from '@x/${to}';\nexport type It = typeof value;\n`;
    }
    for (const { from, to } of allowedArrows) {
      files[`packages/${from}/src/may-${to}.ts`] = importOf(`@x/${to}`);
    }
    for (const name of known) files[`apps/gateway/src/may-${name}.ts`] = importOf(`@x/${name}`);
    folder = plantHouse({
      ...files,
      'packages/stranger/src/index.ts': "import 'node:fs';\n",
      'packages/agent-runtime/src/app.ts': importOf('@x/gateway'),
      'packages/agent-runtime/src/app-by-path.ts': importOf('../../../apps/gateway/src/index.js'),
      'packages/agent-runtime/src/app.test.ts': importOf('@x/gateway'),
      'packages/routing/src/foreign.ts': importOf('../../session-scope/src/index.js'),
      'packages/routing/src/foreign.test.ts': importOf('../../session-scope/src/index.js'),
      'apps/gateway/src/foreign.ts': importOf('../../../packages/session-scope/src/index.js'),
      'packages/routing/src/private-path.ts': importOf('@x/session-scope/src/index.js'),
      'packages/routing/src/left.ts': importOf('./right.js'),
      'packages/routing/src/right.ts': importOf('./left.js'),
      'packages/routing/src/missing.ts': importOf('./nowhere.js'),
      'packages/routing/src/undeclared.ts': importOf('undeclared'),
      'packages/routing/src/for-tests.ts': importOf('for-tests'),
      'packages/routing/src/for-tests.test.ts': importOf('for-tests'),
      'packages/routing/src/peer.ts': importOf('peer'),
      'packages/routing/src/from-test.ts': importOf('./for-tests.test.js'),
      'packages/agent-runtime/src/real-store.test.ts': importOf('@x/memory-jsonl'),
      'packages/agent-runtime/test/real-store.ts': importOf('@x/memory-jsonl'),
      'packages/routing/dist/bundled.js': importOf('@x/agent-runtime'),
    });
    found = await violations(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(forbiddenArrows)('refuses $from -> $to, as a value and as a type', ({ from, to }) => {
    expect(found).toContain(`layer-${from}: packages/${from}/src/to-${to}.ts`);
    expect(found).toContain(`layer-${from}: packages/${from}/src/type-of-${to}.ts`);
  });

  it.each(otherViolations)('refuses %s', (_, violation) => {
    expect(found).toContain(violation);
  });

  it('lets through every arrow of the house, a test that uses a real store, a peer, and what is built', () => {
    const planted = [
      ...forbiddenArrows.flatMap(({ from, to }) => [
        `layer-${from}: packages/${from}/src/to-${to}.ts`,
        `layer-${from}: packages/${from}/src/type-of-${to}.ts`,
      ]),
      ...otherViolations.map(([, violation]) => violation),
    ];
    expect([...found].sort()).toEqual(planted.sort());
  });
});
