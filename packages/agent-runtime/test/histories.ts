import type { StoredMessage } from '@x/session-store';
import fc from 'fast-check';

type Told = Omit<StoredMessage, 'id' | 'seq' | 'createdAt'>;

export const user = (content: string): Told => ({ role: 'user', content });
export const result = (toolCallId: string, content: string): Told => ({ role: 'tool', content, toolCallId });
export const answer = (content: string, ...ids: string[]): Told => ({
  role: 'assistant',
  content,
  ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })) }),
});

/** As a store would give them back, from seq 1 on. */
export function stored(messages: readonly Told[]): readonly StoredMessage[] {
  return messages.map((message, index) => ({
    ...message,
    id: `m${index + 1}`,
    seq: index + 1,
    createdAt: '2026-01-01T00:00:00.000Z',
  }));
}

const words = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 40 }) },
  fc.integer({ min: 100, max: 4_000 }).map((length) => 'word '.repeat(length)),
);

/** Histories of well-behaved turns and of broken ones: open calls, lost results, ids used again. */
export const histories = fc
  .array(
    fc.oneof(
      words.map((text) => [user(text)]),
      words.map((text) => [answer(text)]),
      fc
        .tuple(words, words)
        .map(([said, found]) => [answer(said, 'c', 'd'), result('c', found), result('d', 'ok')]),
      fc
        .tuple(words, words)
        .map(([said, found]) => [answer(said, 'c'), user('meanwhile'), result('c', found)]),
      words.map((text) => [result('c', text)]),
      fc.constant([answer('', 'open')]),
      fc.constant([{ role: 'system', content: 'be good' } as const]),
    ),
    { maxLength: 12 },
  )
  .map((blocks) => stored(blocks.flat()));
