import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameFor, flatName } from './file-name.js';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', 'A', ':', '_', '/', '\\', '.', '-', ' '),
    minLength: 1,
    maxLength: 6,
  }),
  fc.constantFrom(
    '../../etc/x',
    '.',
    '..',
    'con',
    'CON',
    'com1.txt',
    'nul:',
    'a\nb',
    'x?*<>',
    'é',
    '🙂',
    'x'.repeat(400),
    `${'x'.repeat(300)}:y`,
  ),
);

describe('file names', () => {
  it('are portable, short, and never shared, even where cases are not told apart', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hostile, { maxLength: 30 }), (keys) => {
        const names = new Set<string>();
        for (const key of keys) {
          const name = fileNameFor(key, (lower) => names.has(lower));
          expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/);
          expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
          expect(Buffer.byteLength(`${name}.meta.json.broken-2026-01-01T00-00-00-000Z`)).toBeLessThan(256);
          names.add(name.toLowerCase());
        }
        expect(names.size).toBe(keys.length);
      }),
      { numRuns: 500 },
    );
  });

  it('are those of PicoClaw where they can be', () => {
    for (const key of ['agent:main:telegram:group:-100/42', 'sk_v1_00ff', 'a\\b']) {
      expect(fileNameFor(key, () => false)).toBe(flatName(key));
    }
  });
});
