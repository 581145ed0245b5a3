import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';
import { createSqliteBackend } from '@x/session-sqlite';
import { createMemoryBackend, type SessionBackend } from '@x/session-store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/folders.js';
import { createOpenclawBackend, writeOpenclawFolder } from './index.js';

const strange = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    '\u0000',
    '\ud800',
    '\udfff\u0000',
    'é'.repeat(2000),
    'x'.repeat(1100),
    '__proto__',
    ' ',
  ),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
const anything = fc.oneof(
  strange,
  fc.anything({ maxDepth: 2 }),
  fc.constantFrom(-1, 1e300, 1_772_000_000_000),
);
const block = fc.record(
  {
    type: fc.constantFrom('text', 'thinking', 'image', 'toolCall', 'file', 'strange'),
    text: anything,
    thinking: anything,
    data: anything,
    mimeType: anything,
    url: anything,
    id: anything,
    name: anything,
    arguments: anything,
  },
  { requiredKeys: ['type'] },
);
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom('user', 'assistant', 'toolResult', 'custom', 'bashExecution'), anything),
    content: fc.oneof(anything, fc.array(block, { maxLength: 3 })),
    timestamp: anything,
    model: anything,
    usage: fc.oneof(anything, fc.record({ input: anything, output: anything, totalTokens: anything })),
    stopReason: fc.constantFrom('error', 'aborted', 'stop'),
    errorMessage: anything,
    isError: anything,
    toolCallId: anything,
    toolName: anything,
    command: anything,
  },
  { requiredKeys: ['role'] },
);
const id = fc.oneof(fc.constantFrom('1', '2', '3'), strange);
const entry = fc.record(
  {
    type: fc.constantFrom(
      'message',
      'message',
      'message',
      'compaction',
      'custom_message',
      'session_info',
      'session',
    ),
    id,
    parentId: fc.oneof(fc.constant(null), id),
    timestamp: anything,
    message,
    summary: anything,
    firstKeptEntryId: id,
    name: anything,
    customType: fc.constantFrom('x', 'holdfast.system'),
    content: anything,
    version: fc.constantFrom(1, 2, 3, 4, 'x'),
  },
  { requiredKeys: ['type'] },
);
const indexEntry = fc.record(
  {
    sessionId: fc.oneof(fc.constantFrom('one', 'two', 'agent:main:x', '../one'), anything),
    updatedAt: anything,
    sessionStartedAt: anything,
    lastInteractionAt: anything,
    archivedAt: anything,
    label: anything,
    subject: anything,
    displayName: anything,
    channel: anything,
    origin: anything,
    pinned: anything,
    sessionFile: anything,
    usageFamilySessionIds: fc.oneof(anything, fc.array(fc.constantFrom('one', 'two'))),
  },
  { requiredKeys: ['sessionId'] },
);
const key = fc.oneof(
  fc.constantFrom(
    'agent:main:main',
    'main',
    'AGENT:main:MAIN',
    'cron:a',
    'agent:main:cron:a:run:one',
    'global',
  ),
  strange,
);

/** As JSON writes it, half characters and all. */
const written = (value: unknown) => JSON.stringify(value) ?? 'null';

async function exportOf(backend: SessionBackend): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const each of backend.export()) lines.push(JSON.stringify(each));
  return lines;
}

test('whatever stands in a folder, it is read, brought over into every store, and written again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(key, fc.oneof(indexEntry, anything)), { maxLength: 5 }),
      fc.array(fc.oneof({ weight: 5, arbitrary: entry }, { weight: 1, arbitrary: anything }), {
        maxLength: 6,
      }),
      fc.array(entry, { maxLength: 3 }),
      async (entries, one, two) => {
        const root = temporaryFolder();
        const sessions = join(root, 'agents/main/sessions');
        mkdirSync(sessions, { recursive: true });
        writeFileSync(join(sessions, 'sessions.json'), written(Object.fromEntries(entries)));
        writeFileSync(join(sessions, 'one.jsonl'), one.map((each) => `${written(each)}\n`).join(''));
        writeFileSync(join(sessions, 'two.jsonl'), two.map((each) => `${written(each)}\n`).join(''));
        const source = await createOpenclawBackend({ directory: root, orphans: true });
        const listed = (await source.list({ archived: 'include', limit: 1000 })).sessions;
        mkdirSync(join(root, 'jsonl'));
        const stores = [
          createMemoryBackend(),
          await createJsonlBackend({ directory: join(root, 'jsonl') }),
          await createSqliteBackend({ file: join(root, 'sessions.sqlite') }),
        ];
        for (const store of stores) {
          const { sessions: taken } = await store.import(source.export());
          expect(taken).toBe(listed.length);
          expect(await exportOf(store)).toEqual(await exportOf(source));
          const target = join(root, `back-${store.name}`);
          const outcomes = await writeOpenclawFolder(target, store.export());
          expect(outcomes.filter(({ status }) => status === 'failed')).toEqual([]);
          await store.close();
        }
        await source.close();
      },
    ),
    { numRuns: Number(process.env.HOSTILE_RUNS ?? 20) },
  );
}, 300_000);
