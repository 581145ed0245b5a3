import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildFingerprint, installFingerprint, readStamp, writeStamp } from './fingerprint.mjs';

let root;
const put = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-fingerprint-'));
  put('package.json', '{}');
  put('pnpm-lock.yaml', 'a');
  put('packages/a/package.json', '{"name":"@x/a"}');
  put('packages/a/src/a.ts', 'one');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('installFingerprint', () => {
  it.each([
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    'packages/a/package.json',
    'apps/b/package.json',
  ])('changes with %s', (path) => {
    const before = installFingerprint(root);
    put(path, '{"changed":true}');
    expect(installFingerprint(root)).not.toBe(before);
  });

  it('does not change with a source', () => {
    const before = installFingerprint(root);
    put('packages/a/src/a.ts', 'another');
    expect(installFingerprint(root)).toBe(before);
  });
});

describe('buildFingerprint', () => {
  it.each([
    'packages/a/src/a.ts',
    'packages/a/src/new/b.css',
    'packages/a/tsup.config.ts',
    'pnpm-lock.yaml',
    'turbo.json',
  ])('changes with %s', (path) => {
    const before = buildFingerprint(root);
    put(path, 'longer than before');
    expect(buildFingerprint(root)).not.toBe(before);
  });

  it('changes when a source goes', () => {
    const before = buildFingerprint(root);
    rmSync(join(root, 'packages/a/src/a.ts'));
    expect(buildFingerprint(root)).not.toBe(before);
  });

  it.each([
    'packages/a/src/a.test.ts',
    'packages/a/dist/a.js',
    'packages/a/README.md',
    'packages/a/test/fixtures/a.json',
  ])('does not change with %s', (path) => {
    const before = buildFingerprint(root);
    put(path, 'whatever');
    expect(buildFingerprint(root)).toBe(before);
  });
});

describe('stamps', () => {
  it('are read as written, and count as absent when torn or missing', () => {
    const path = join(root, 'node_modules/.stamp.json');
    expect(readStamp(path)).toBeUndefined();
    writeStamp(path, { fingerprint: 'a' });
    expect(readStamp(path)).toEqual({ fingerprint: 'a' });
    writeFileSync(path, '{"finger');
    expect(readStamp(path)).toBeUndefined();
  });
});
