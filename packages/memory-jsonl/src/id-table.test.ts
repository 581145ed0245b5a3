import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createIdTable } from './id-table.js';

it('knows every id with the first seq it was given, and next to nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 300 }), (ids) => {
      const table = createIdTable();
      const wanted = new Map<string, number>();
      for (const [index, id] of ids.entries()) {
        table.add(id, index + 1);
        if (!wanted.has(id)) wanted.set(id, index + 1);
      }
      for (const [id, seq] of wanted) expect(table.seqOf(id)).toBe(seq);
    }),
  );
});

it('takes a few slots an id, and answers undefined for a hundred thousand others', () => {
  const table = createIdTable();
  for (let n = 1; n <= 100_000; n += 1) table.add(`message-${n}`, n);
  expect(table.slots).toBeLessThanOrEqual(2 ** 18);
  let known = 0;
  for (let n = 1; n <= 100_000; n += 1) if (table.seqOf(`other-${n}`) !== undefined) known += 1;
  expect(known).toBe(0);
});
