import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from './text-lines.js';

async function linesOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of textLines(Readable.from(chunks))) lines.push(line);
  return lines;
}

test('every line comes back whole, whatever it holds and wherever the stream is cut', async () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\uFEFF]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await linesOf(chunks)).toEqual(lines);
    }),
  );
});

test('a separator of JavaScript is part of a line, a byte order mark is not, the last end may be missing', async () => {
  expect(await linesOf([Buffer.from('\uFEFFa\u2028b\u2029c\r\nd')])).toEqual(['a\u2028b\u2029c\r', 'd']);
});
