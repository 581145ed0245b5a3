import { createMemoryBackend, type Message, type StoredMessage } from '@x/session-store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeLegacy, encodeLegacy } from './legacy-file.js';

const at = '2026-01-01T00:00:00.000Z';
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

it('reads any file as a session, as another program’s, or as unreadable, and never throws', () => {
  const anything = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .record({
        key: fc.jsonValue(),
        messages: fc.jsonValue(),
        created: fc.jsonValue(),
        holdfast: fc.jsonValue(),
      })
      .map(bytesOf),
    fc
      .array(fc.record({ role: fc.constantFrom('user', 'assistant', 'robot'), content: fc.jsonValue() }))
      .map((messages) => bytesOf({ key: 'k', messages })),
  );
  fc.assert(
    fc.property(anything, (bytes) => {
      expect(['session', 'foreign', 'unreadable']).toContain(decodeLegacy(bytes, 'name', at).kind);
    }),
  );
});

const message: fc.Arbitrary<Message> = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
    content: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant([{ type: 'text', text: 'part' }])),
    createdAt: fc.constantFrom('2025-05-05T05:05:05.005Z', '1970-01-01T00:00:00.000Z'),
    toolCalls: fc.constant([{ id: 'c', name: 'n', arguments: '{"a":' }]),
    meta: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value))),
  },
  { requiredKeys: ['role', 'content'] },
);

it('gives back every session that it wrote, whatever was done to it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 6 }),
      fc.nat(8),
      fc.string(),
      fc.boolean(),
      async (messages, keepLast, summary, isReset) => {
        const backend = createMemoryBackend();
        await backend.ensure('k', { title: 'T', aliases: ['agent:main:direct:7'] });
        await backend.append('k', messages);
        if (isReset) await backend.reset('k', { reason: 'idle' });
        await backend.truncate('k', { keepLast });
        await backend.setSummary('k', summary);
        const meta = await backend.meta('k');
        if (meta === undefined) throw new Error('The session is gone.');
        const session = { meta, messages: await backend.read('k', { segment: 'all' }) };
        const again = decodeLegacy(Buffer.from(encodeLegacy(session)), 'name', at);
        expect(again).toEqual({ kind: 'session', session });
        // PicoClaw sees what reaches the model.
        const shown = JSON.parse(encodeLegacy(session)) as { messages: StoredMessage[] };
        expect(shown.messages).toHaveLength(meta.activeCount);
      },
    ),
    { numRuns: 60 },
  );
});

it('takes no list of messages of another program for a session', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const kind = (value: unknown) => decodeLegacy(bytesOf(value), 'name', at).kind;
  expect(kind({ model: 'm', messages })).toBe('foreign');
  expect(kind({ model: 'm', messages, created: 1700000000 })).toBe('foreign');
  expect(kind({ key: 'k', messages })).toBe('session');
  expect(kind({ messages, updated: '2026-01-01T00:00:00Z' })).toBe('session');
});
