import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNames } from './check-names.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-names-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const wholePackage = {
  'packages/tidy/package.json': JSON.stringify({
    name: '@x/tidy',
    description: 'Tidy.',
    license: 'MIT',
    sideEffects: false,
    exports: { '.': './dist/index.js' },
  }),
  'packages/tidy/README.md': '# tidy\n',
  'packages/tidy/src/session-key.ts': 'export const key = 1;\n',
  'packages/tidy/src/session-key.test.ts': "it('is a key', () => {});\n",
  '.changeset/tidy.md': '---\n"@x/tidy": minor\n---\n\nTidy.\n',
};

function check(files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return checkNames(root, Object.keys(files));
}

const problemsWith = (path, content) => check({ ...wholePackage, [path]: content }).problems;

// Put together, so that the check that is tested here does not find its own test.
const loose = ['TO', 'DO'].join('');
const machine = ['', 'root', 'project'].join('/');
const registry = ['registry', 'example', 'org'].join('.');

describe('check-names', () => {
  it('finds nothing in a package that has everything', () => {
    expect(check(wholePackage)).toEqual({ problems: [], notes: [] });
  });

  it.each(['utils', 'util', 'helpers', 'misc', 'common', 'manager', 'types'])(
    'refuses a file called %s',
    (name) => {
      expect(problemsWith(`packages/tidy/src/deep/${name}.ts`, '')).toHaveLength(1);
      expect(problemsWith(`apps/gateway/web/src/${name}.test.tsx`, '')).toHaveLength(1);
    },
  );

  it('lets those words stand inside a longer name', () => {
    expect(problemsWith('packages/tidy/src/message-types.ts', '')).toEqual([]);
  });

  it.each([
    ['an open end', `// ${loose}: later\n`],
    ['a silenced compiler', '// @ts-ignore\nfoo();\n'],
    ['the type any', 'export const a: any = 1;\n'],
    ['a cast to any', 'export const a = 1 as any;\n'],
    ['any inside a type', 'export type A = Record<string, any[]>;\n'],
    ['a test left out', "it.skip('x', () => {});\n"],
    ['a lone test', "describe.concurrent.only('x', () => {});\n"],
  ])('refuses %s', (_, source) => {
    expect(problemsWith('packages/tidy/src/a.ts', source)).toHaveLength(1);
  });

  it.each([
    ['prose that says "as any other"', '// works as any other: any message\n'],
    ['a string that holds such words', "export const a = 'x: any, it.only(';\n"],
    ['a skip with a reason', "it('x', (context) => context.skip('no browser on this machine'));\n"],
  ])('lets pass %s', (_, source) => {
    expect(problemsWith('packages/tidy/src/a.ts', source)).toEqual([]);
  });

  it.each([
    ['a path of a machine', `see ${machine}/file\n`],
    ['a registry host', `npm install --registry https://${registry}\n`],
  ])('refuses %s in any file', (_, content) => {
    expect(problemsWith('docs/page.md', content)).toHaveLength(1);
  });

  it('lets fixtures hold what they were recorded with', () => {
    expect(problemsWith('packages/tidy/test/fixtures/a.json', `"${machine}/file"`)).toEqual([]);
  });

  it('lets pass addresses and relative paths with the same words', () => {
    expect(problemsWith('docs/page.md', `https://example.com${machine} and packages${machine}`)).toEqual([]);
  });

  it.each([
    ['README.md', 'packages/tidy/README.md'],
    ['a changeset', '.changeset/tidy.md'],
  ])('asks a package for %s', (_, path) => {
    const { [path]: removed, ...files } = wholePackage;
    expect(removed).toBeDefined();
    expect(check(files).problems).toHaveLength(1);
  });

  it('asks a manifest for what an installer and a bundler need', () => {
    expect(problemsWith('packages/tidy/package.json', '{"name":"@x/tidy"}')).toHaveLength(4);
  });

  it('names a package without tests, and does not fail it', () => {
    const { 'packages/tidy/src/session-key.test.ts': removed, ...files } = wholePackage;
    expect(removed).toBeDefined();
    expect(check(files)).toEqual({ problems: [], notes: ['packages/tidy has no test'] });
  });
});
