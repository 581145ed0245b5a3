import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillTemplate, templateOf } from './line-template.js';
import { decodeMessage, encodeMessage, heldTexts } from './message-entry.js';
import { readTranscript } from './transcript.js';
import { joinLines, splitLines } from './transcript-lines.js';

const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
const line = (
  id: string,
  parentId: string | null,
  more: object = { type: 'message', message: { role: 'user', content: id } },
) => JSON.stringify({ id, parentId, ...more });
const read = (...lines: readonly (string | object)[]) =>
  readTranscript(
    lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
    true,
  );
const branchOf = (transcript: ReturnType<typeof read>) => transcript.branch.map(({ id }) => id);

test('the branch in use is the way from the last entry to the root', () => {
  const transcript = read(header, line('a', null), line('b', 'a'), line('c', 'a'), line('d', 'c'));
  expect(branchOf(transcript)).toEqual(['a', 'c', 'd']);
});

test('a damaged line costs itself: what followed it follows the line above', () => {
  const torn = line('b', 'a').slice(0, 20);
  const transcript = read(header, line('a', null), torn, line('c', 'b'), line('d', 'c'));
  expect(branchOf(transcript)).toEqual(['a', 'c', 'd']);
  expect([transcript.damaged, transcript.orphaned]).toEqual([[2], ['c']]);
});

test.each([
  ['two objects on one line', `${line('x', 'a')}${line('y', 'x')}`],
  ['a list', '[1]'],
  ['no type', '{"id":"x"}'],
  ['half of a line that a newline has cut', '"and the other half"}'],
  ['NULs', '\u0000\u0000'],
])('%s is damage, and blank lines are none', (_, damage) => {
  const transcript = read(header, line('a', null), '', damage, ' \r', line('b', 'a'));
  expect([transcript.damaged, branchOf(transcript)]).toEqual([[3], ['a', 'b']]);
});

test('parents that lie below, in a circle, or twice, lead upwards all the same', () => {
  const transcript = read(header, line('a', 'b'), line('b', 'a'), line('b', 'b'), line('c', 'c'));
  expect(branchOf(transcript)).toEqual(['a', 'b', 'b', 'c']);
});

test('files of version 1 run on as they stand, with or without their header', () => {
  const said = (text: string) => ({ type: 'message', message: { role: 'user', content: text } });
  const { version: _none, ...old } = header;
  expect(read(old, said('one'), said('two')).branch).toHaveLength(2);
  expect(read(said('one'), said('two'))).toMatchObject({ version: 1, header: undefined });
  expect(read(line('a', null), line('b', 'a'))).toMatchObject({ version: 3, header: undefined });
});

test('a compaction keeps from the entry that it names, and nothing where that is not there', () => {
  const compaction = (kept: object) => ({ type: 'compaction', summary: 'so far', ...kept });
  const of = (kept: object) =>
    read(header, line('a', null), line('b', 'a'), line('c', 'b', compaction(kept)), line('d', 'c'))
      .compaction;
  expect(of({ firstKeptEntryId: 'b' })).toEqual({ summary: 'so far', keptFrom: 1 });
  expect(of({ firstKeptEntryId: 'a' })).toEqual({ summary: 'so far', keptFrom: 0 });
  expect(of({ firstKeptEntryId: 'gone' })).toEqual({ summary: 'so far', keptFrom: 2 });
  expect(of({ firstKeptEntryIndex: 2 })).toEqual({ summary: 'so far', keptFrom: 1 });
  const custom = line('e', 'c', { type: 'custom', customType: 'openclaw.cache-ttl' });
  const after = read(
    header,
    line('a', null),
    line('b', 'a'),
    line('c', 'b', compaction({ firstKeptEntryId: 'b' })),
    custom,
    line('f', 'e'),
  );
  expect([branchOf(after), after.compaction?.keptFrom]).toEqual([['a', 'b', 'c', 'e', 'f'], 1]);
});

test('a send that was mirrored is no call of a model, and a failed result says so', () => {
  const answer = { role: 'assistant', content: [], model: 'delivery-mirror', usage: { input: 0, output: 0 } };
  expect(decodeMessage({ message: answer }, '')).toEqual({
    role: 'assistant',
    content: '',
    createdAt: '',
    meta: { origin: 'delivery-mirror' },
  });
  const result = { role: 'toolResult', toolCallId: 'c', toolName: 't', content: 'no', isError: true };
  expect(decodeMessage({ message: result }, '')).toMatchObject({ role: 'tool', meta: { status: 'failed' } });
});

test('any file is taken apart and put together again as it was', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
    fc
      .array(fc.constantFrom('\n', '\r\n', '{}', '\u0002', '\u0000', 'é', '"a"'), { maxLength: 12 })
      .map((parts) => Buffer.from(parts.join(''))),
  );
  fc.assert(
    fc.property(bytes, (file) => {
      expect(joinLines(splitLines(file)).equals(file)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('whatever stands in a transcript, it is read', () => {
  const id = fc.constantFrom('a', 'b', 'c', '', null, 5);
  const entry = fc.record(
    {
      type: fc.constantFrom('message', 'compaction', 'session', 'custom', '', 7),
      id,
      parentId: id,
      message: fc.oneof(
        fc.constantFrom(null, [], 'x'),
        fc.record({ role: fc.string(), content: fc.anything() }),
      ),
      firstKeptEntryId: id,
      firstKeptEntryIndex: fc.integer(),
      summary: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const lines = fc.array(
    fc.oneof(fc.string(), fc.anything(), entry).map((value) => JSON.stringify(value) ?? 'undefined'),
  );
  fc.assert(
    fc.property(lines, (written) => {
      const { branch, entries } = readTranscript(written, true);
      expect(branch.length).toBeLessThanOrEqual(entries.length);
      for (const { value } of entries) expect(typeof decodeMessage(value, '').role).toBe('string');
    }),
    { numRuns: 1000 },
  );
});

const json = fc.jsonValue({ maxDepth: 2 });
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary', maxLength: 80 }) }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.string({ maxLength: 80 }) }),
  fc.record({
    type: fc.constant('image'),
    data: fc.base64String({ maxLength: 80 }),
    mimeType: fc.constant('image/png'),
  }),
  fc.record({ type: fc.constant('toolCall'), id: fc.string(), name: fc.string(), arguments: json }),
);

test('a line without what its message holds comes back byte for byte, however it was written', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'toolResult'),
    content: fc.oneof(fc.string({ maxLength: 80 }), fc.array(block, { maxLength: 4 })),
    timestamp: fc.nat(),
    unknown: json,
  });
  fc.assert(
    fc.property(message, fc.constantFrom(0, 1), (said, spaces) => {
      const written = JSON.stringify({ type: 'message', id: 'x', message: said }, null, spaces).replaceAll(
        '\n',
        ' ',
      );
      const decoded = decodeMessage(JSON.parse(written), '');
      expect(fillTemplate(templateOf(written, heldTexts(decoded)), heldTexts(decoded))).toBe(written);
    }),
    { numRuns: 1000 },
  );
});

test('what is long stands once', () => {
  const data = 'A'.repeat(100_000);
  const written = JSON.stringify({
    message: { role: 'user', content: [{ type: 'image', data, mimeType: 'image/png' }] },
  });
  const decoded = decodeMessage(JSON.parse(written), '');
  expect(templateOf(written, heldTexts(decoded)).length).toBeLessThan(200);
});

test('a message of ours is the same message when it comes back', () => {
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const, 'system' as const),
    content: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    createdAt: fc
      .date({ min: new Date(0), max: new Date('2030-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  });
  fc.assert(
    fc.property(message, (said) => {
      const { role, content } = decodeMessage(encodeMessage(said), said.createdAt);
      expect({ role, content }).toEqual({ role: said.role, content: said.content });
    }),
  );
});
