import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPromises } from './check-promises.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-promises-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function problems(comment, tests = "it('survives a kill (at any point)', () => {});\n") {
  const files = {
    'packages/a/src/append.ts': `${comment}\nexport const append = 1;\n`,
    'packages/a/src/append.test.ts': tests,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return checkPromises(root, Object.keys(files));
}

describe('check-promises', () => {
  it('accepts a promise whose test exists, with brackets in the title', () => {
    expect(problems('/** Durable (shown by: survives a kill (at any point)). */')).toEqual([]);
  });

  it('accepts a title broken over comment lines, and one in quotes', () => {
    expect(problems('/**\n * Durable (shown by: survives a\n * kill (at any point)).\n */')).toEqual([]);
    expect(problems('// Durable (shown by: "survives a kill (at any point)")')).toEqual([]);
  });

  it('accepts several tests, and says so when one of them is gone', () => {
    const tests = "it('a', () => {});\ndescribe.each([1])('b', () => {});\n";
    expect(problems('// Both (shown by: a; b)', tests)).toEqual([]);
    expect(problems('// Both (shown by: a; c)', tests)).toHaveLength(1);
  });

  it('accepts a case of a table', () => {
    expect(problems('// Ordered (shown by: a)', "const cases = [{ title: 'a', run() {} }];\n")).toEqual([]);
  });

  it('names file, line and title of a promise without a test', () => {
    expect(problems('//\n// Durable (shown by: survives a flood)')).toEqual([
      'packages/a/src/append.ts:2: no test is called "survives a flood"',
    ]);
  });
});
