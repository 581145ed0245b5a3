import type { Readable } from 'node:stream';

/**
 * The lines of a stream of UTF-8, without their ends and without a byte order mark. Only a line feed ends a line:
 * `node:readline` ends one at U+2028 and U+2029 as well, which JSON may hold inside a text.
 */
export async function* textLines(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
