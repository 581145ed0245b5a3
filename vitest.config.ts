import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = realpathSync(import.meta.dirname);
const everywhere = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}', 'web/**/*.test.{ts,tsx}'];
const inBrowser = 'test/browser/**/*.test.ts';
const maxWorkers = Math.max(2, availableParallelism());

/** What holds for every test: time enough for a busy machine, no `.only`, a package without tests is no failure. */
const shared = {
  include: everywhere,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  allowOnly: false,
};

const folders = ['packages', 'apps', 'examples'].flatMap((group) =>
  existsSync(join(root, group))
    ? readdirSync(join(root, group))
        .filter((name) => existsSync(join(root, group, name, 'package.json')))
        .map((name) => ({ name, folder: join(root, group, name) }))
    : [],
);

const packages = folders.map(({ name, folder }) => ({
  root: folder,
  test: {
    ...shared,
    name,
    exclude: ['**/node_modules/**', '**/dist/**', inBrowser],
    sequence: { groupOrder: 0 },
  },
}));

/** One browser at a time, after everything else: a page that waits for a core measures nothing. */
const browsers = folders
  .filter(({ folder }) => existsSync(join(folder, 'test/browser')))
  .map(({ name, folder }) => ({
    root: folder,
    test: {
      ...shared,
      name: `${name} browser`,
      include: [inBrowser],
      testTimeout: 180_000,
      hookTimeout: 180_000,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
    },
  }));

const house = {
  root,
  test: { ...shared, name: 'house', include: ['scripts/**/*.test.mjs'], sequence: { groupOrder: 0 } },
};

/** From the root: every package in one run. From a package's folder (its own `test` script): that package alone. */
const here = realpathSync(process.cwd());
export default defineConfig({
  test:
    here === root
      ? { maxWorkers, passWithNoTests: true, projects: [house, ...packages, ...browsers] }
      : { ...shared, passWithNoTests: true, testTimeout: 180_000 },
});
