import type { StoredMessage } from '@x/session-store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messageOf } from './history-reader.js';
import { scanHistory } from './history-scan.js';
import { emptyLog, survey } from './log-shape.js';
import { encodeLine } from './message-line.js';

const at = '2026-03-01T10:00:00.000Z';
const content = fc.oneof(
  { weight: 5, arbitrary: fc.string() },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.nat(90_000).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom('\uFFFD', 'ü'.repeat(9000), '', 'x'.repeat(1_100_000)) },
);
const message = fc.record(
  {
    role: fc.constantFrom<StoredMessage['role']>('user', 'assistant', 'tool'),
    content,
    createdAt: fc.constantFrom(
      at,
      '0001-01-01T00:00:00.000Z',
      '2026-02-29T10:00:00.000Z',
      '9999-12-31T00:00:00.000Z',
    ),
    toolName: fc.string(),
    meta: fc.constant({ origin: 'person' }),
    gap: fc.nat(3),
  },
  { requiredKeys: ['role', 'content', 'createdAt', 'gap'] },
);
const range = fc.record({
  after: fc.nat(40),
  before: fc.oneof(fc.nat(60), fc.constant(Number.MAX_SAFE_INTEGER)),
  limit: fc.oneof(fc.nat(20), fc.constant(Number.MAX_SAFE_INTEGER)),
  order: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
});

function readerOf(bytes: Buffer) {
  return {
    file: {
      async read(into: Buffer, offset: number, length: number, position: number) {
        return { bytesRead: bytes.copy(into, offset, position, position + length) };
      },
    },
    path: 's.jsonl',
    key: 's',
    untimedAt: at,
    maxLineBytes: 20_000_000,
    met: [],
  };
}

it('reads lines of ours as it reads those of anybody, in any range and order, whole or broken', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 25 }),
      range,
      fc.option(fc.tuple(fc.nat(), fc.constantFrom('', 'no message', '{"seq":2}'))),
      fc.boolean(),
      async (messages, wanted, foreign, isEnded) => {
        let seq = 0;
        const lines = messages.map(({ gap, ...rest }) => {
          seq += 1 + gap;
          return encodeLine({ id: `m${seq}`, seq, ...rest });
        });
        if (foreign !== null) lines.splice(foreign[0] % (lines.length + 1), 0, `${foreign[1]}\n`);
        const text = lines.join('');
        const bytes = Buffer.from(isEnded ? text : text.slice(0, -1));
        const reader = readerOf(bytes);
        const shape = await survey(
          reader,
          emptyLog,
          bytes.length,
          (line) => messageOf(reader, line) !== undefined,
        );
        const found = await scanHistory(readerOf(bytes), shape, wanted);
        // Where not every line is said to be ours, each is looked at by itself.
        expect(found).toEqual(await scanHistory(readerOf(bytes), { ...shape, explicit: false }, wanted));
      },
    ),
    { numRuns: 100 },
  );
});
