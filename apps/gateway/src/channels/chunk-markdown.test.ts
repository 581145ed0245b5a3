import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkMarkdown } from './chunk-markdown.js';

const words = fc
  .array(
    fc.constantFrom(
      'word',
      'a',
      'ünïcödé',
      '👩‍👩‍👧‍👦',
      '😀',
      'end.',
      '\n',
      '\n\n',
      '**bold**',
      '`code`',
      '- x',
    ),
    {
      maxLength: 200,
    },
  )
  .map((parts) => parts.join(' '));
const fenced = fc
  .tuple(fc.constantFrom('```', '~~~', '````ts', '```js title="x"'), words)
  .map(([mark, code]) => {
    const close = /^[`~]+/.exec(mark)?.[0] ?? '';
    return `\n${mark}\n${code.replaceAll('`', '')}\n${close}\n`;
  });
const markdown = fc.array(fc.oneof(words, fenced), { maxLength: 8 }).map((parts) => parts.join('\n'));

test('pieces fit, are valid alone, and together are the text', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 40, max: 5000 }), (text, limit) => {
      const pieces = chunkMarkdown(text, limit);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(limit);
        expect(piece.trim()).not.toBe('');
        expect(/\p{Surrogate}/u.test(piece)).toBe(false);
        expect(openFences(piece)).toBe(0);
      }
      expect(bare(pieces.join('\n'))).toBe(bare(text));
    }),
    { numRuns: 300 },
  );
});

test.each([1999, 2000, 2001, 9000])(
  'a text of %i characters with code and emoji keeps its order',
  (length) => {
    const code = Array.from({ length: 40 }, (_, index) => `const line${index} = '😀';`).join('\n');
    const text = `Begin.\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${'😀 more words '.repeat(1000)}`.slice(0, length);
    for (const limit of [2000, 4000, 4096, 40_000]) {
      const pieces = chunkMarkdown(text, limit);
      expect(pieces.every((piece) => piece.length <= limit)).toBe(true);
      expect(bare(pieces.join('\n'))).toBe(bare(text));
    }
  },
);

test('a fence that is cut is closed and opened again with its language', () => {
  const text = `Look:\n\n\`\`\`ts\n${'let a = 1;\n'.repeat(8)}\`\`\`\nDone.`;
  const pieces = chunkMarkdown(text, 60);
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces.slice(1, -1)) expect(piece).toMatch(/^```ts\n[\s\S]*\n```$/);
  expect(pieces.at(-1)).toMatch(/Done\.$/);
});

test('short texts stay as they are, and nothing is no message', () => {
  expect(chunkMarkdown('Hello', 100)).toEqual(['Hello']);
  expect(chunkMarkdown(' \n ', 100)).toEqual([]);
  expect(() => chunkMarkdown('x', 3)).toThrow(RangeError);
});

/** What is left without white space and fence marks: the words, in order. */
function bare(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^ {0,3}(?:`{3,}|~{3,})/.test(line))
    .join('')
    .replaceAll(/\s+/g, '');
}

function openFences(text: string): number {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) continue;
    if (open === undefined) open = mark;
    else if (mark.startsWith(open)) open = undefined;
  }
  return open === undefined ? 0 : 1;
}
