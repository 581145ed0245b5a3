import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.js';
import { makeFolder } from './folder.js';

test('makes a folder with those above it, and leaves one alone that is there', () => {
  const folder = join(temporaryFolder(), 'a/b/c');
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test('fails where a file stands in the way', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow(/EEXIST/);
  expect(() => makeFolder(join(file, 'inside'))).toThrow(/ENOTDIR|EEXIST/);
});

test.runIf(existsSync('/proc/self'))('fails, instead of trying for ever, in a folder that takes none', () => {
  expect(() => makeFolder('/proc/holdfast/data')).toThrow(/ENOENT/);
});
