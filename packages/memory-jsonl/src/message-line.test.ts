import type { StoredMessage } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine, encodeLine, headOf, numbered, untied } from './message-line.js';

const at = '2026-03-01T10:00:00.000Z';
const fieldName = fc.oneof(
  fc.constantFrom(
    'seq',
    'more',
    'id',
    'holdfast',
    'tool_calls',
    'created_at',
    'type',
    'function',
    'exact',
    'fields',
    '1',
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const json = fc.jsonValue({ maxDepth: 2 });
const others = fc.dictionary(fieldName, json, { maxKeys: 3 });
const known = new Set([
  'id',
  'seq',
  'role',
  'content',
  'createdAt',
  'media',
  'toolCalls',
  'toolCallId',
  'toolName',
  'modelName',
  'reasoning',
  'usage',
  'meta',
]);
const call = fc
  .tuple(
    fc.dictionary(fieldName, json, { maxKeys: 3 }),
    fc.record({ id: fc.string({ minLength: 1 }), name: fc.string({ minLength: 1 }), arguments: fc.string() }),
  )
  .map(([unknown, fields]) => ({ ...unknown, ...fields }));
const part = fc.record(
  { type: fc.constantFrom('text', 'image', 'strange'), text: fc.string(), url: fc.webUrl() },
  { requiredKeys: ['type'] },
);
const message = fc
  .tuple(
    others,
    fc.record(
      {
        id: fc.string({ minLength: 1 }),
        seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
        content: fc.oneof(fc.string({ unit: 'binary' }), fc.array(part, { maxLength: 3 })),
        createdAt: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        media: fc.array(fc.string(), { maxLength: 2 }),
        toolCalls: fc.array(call, { maxLength: 2 }),
        toolCallId: fc.string({ minLength: 1 }),
        toolName: fc.string(),
        modelName: fc.string(),
        reasoning: fc.string(),
        usage: fc.record({ inputTokens: fc.nat() }),
        meta: fc.dictionary(fieldName, json, { maxKeys: 2 }),
      },
      { requiredKeys: ['id', 'seq', 'role', 'content', 'createdAt'] },
    ),
  )
  .map(([unknown, fields]) => {
    const beside = Object.fromEntries(Object.entries(unknown).filter(([name]) => !known.has(name)));
    return JSON.parse(JSON.stringify({ ...beside, ...fields })) as StoredMessage;
  });

describe('a message as a line', () => {
  it('comes back as it was, whatever fields it has', () => {
    fc.assert(
      fc.property(message, fc.nat(3), (given, more) => {
        const line = Buffer.from(encodeLine(given, more).slice(0, -1));
        expect(line.includes(10)).toBe(false);
        expect(headOf(line)).toEqual({ seq: given.seq, more });
        expect(decodeLine(line, given.seq, at)).toEqual({ message: given, damaged: false });
        const alone = untied(line, headOf(line));
        expect(headOf(alone)).toEqual({ seq: given.seq, more: 0 });
        expect(decodeLine(alone, given.seq, at).message).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it('is a line of PicoClaw', () => {
    fc.assert(
      fc.property(message, (given) => {
        const line = JSON.parse(encodeLine(given)) as { [name: string]: unknown };
        expect(typeof line.content).toBe('string');
        expect(line.role).toBe(given.role);
        expect(line.tool_call_id).toBe(given.toolCallId);
        expect(line.model_name).toBe(given.modelName);
        expect(line.reasoning_content).toBe(given.reasoning);
        if (line.created_at !== undefined) expect(line.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
        for (const [index, each] of (given.toolCalls ?? []).entries()) {
          const calls = line.tool_calls as { id: string; function: { name: string; arguments: string } }[];
          expect(calls[index]).toMatchObject({ id: each.id });
        }
      }),
    );
  });

  it('spells tool calls as PicoClaw does', () => {
    const line = encodeLine({
      id: 'm',
      seq: 7,
      role: 'assistant',
      content: '',
      createdAt: at,
      toolCalls: [{ id: 'call_1', name: 'calendar', arguments: '{"day":1}' }],
    });
    expect(JSON.parse(line)).toEqual({
      seq: 7,
      id: 'm',
      created_at: at,
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'calendar', arguments: '{"day":1}' } },
      ],
    });
  });

  it("keeps what another program's tool call has beside name and arguments", () => {
    const text =
      '{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}","thought_signature":"s"},"extra_content":{"google":{}}}],"attachments":[{"ref":"r"}]}';
    const { message: read } = decodeLine(Buffer.from(text), 3, at);
    expect(read).toEqual({
      id: 'line-3',
      seq: 3,
      role: 'assistant',
      content: '',
      createdAt: at,
      toolCalls: [
        {
          id: 'c',
          name: 'n',
          arguments: '{}',
          function: { thought_signature: 's' },
          extra_content: { google: {} },
        },
      ],
      attachments: [{ ref: 'r' }],
    });
    const rewritten = numbered(Buffer.from(text), 3, at);
    expect(JSON.parse(rewritten?.toString() ?? '')).toEqual({
      seq: 3,
      id: 'line-3',
      created_at: at,
      ...JSON.parse(text),
    });
  });

  it.each([
    '',
    '[]',
    '"text"',
    '{"role":"user","content":"a"}{"role":"user","content":"b"}',
    '{"type":"session"}',
    '{"role":"owner","content":""}',
    '{"role":"user","content":7}',
  ])('is not what %s is', (text) => {
    expect(decodeLine(Buffer.from(text), 1, at).message).toBeUndefined();
  });
});
