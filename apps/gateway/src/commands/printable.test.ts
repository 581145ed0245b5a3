import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from './printable.js';

test('nothing that is printed can command a terminal', () => {
  expect(printable('a\u001b[2Jb\u009b31m\u0007\u007f')).toBe('a\uFFFD[2Jb\uFFFD31m\uFFFD\uFFFD');
  expect(printable('one\r\ntwo\n\tthree\rfour')).toBe('one\ntwo\n\tthreefour');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
    }),
  );
});

test('all other text stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/[^\P{Cc}\n\t]/u.test(text));
      expect(printable(text)).toBe(text);
    }),
  );
});
