import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { normaliseText, trimSpace } from './index.js';

test.each([
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['İlker', 'ilker'],
  ['STRASSE ẞ', 'strasse ß'],
  ['ǅ', 'ǆ'],
  ['\u212a', 'k'],
  ['\u0085\u00a0 nbsp\u3000\u2028', 'nbsp'],
  ['\ufeffBom\ufeff', '\ufeffbom\ufeff'],
  ['\u200bZero\u200b', '\u200bzero\u200b'],
  ['\t\n\v\f\r \u1680\u2000\u200a\u2029\u202f\u205f', ''],
  ['\ud800A', '\ud800a'],
])('folds %j to %j', (text, folded) => {
  expect(normaliseText(text)).toBe(folded);
});

test('folds by the tables of Unicode 15, whichever the runtime has', () => {
  const pairs: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const folded = normaliseText(`.${character}.`).slice(1, -1);
    if (folded !== character) pairs.push(`${point.toString(16)}>${folded.codePointAt(0)?.toString(16)}`);
  }
  expect(pairs).toHaveLength(1433);
  expect(createHash('sha256').update(pairs.join('\n')).digest('hex')).toBe(
    '2ea537f43e240ae6bc09edcebe229430bb3b3d42e55f62ba9142ac4d63d7aee7',
  );
});

test('takes away the edges only, in time that grows with the length', () => {
  const gap = ' '.repeat(200_000);
  expect(trimSpace(`  a${gap}b  `)).toBe(`a${gap}b`);
});
