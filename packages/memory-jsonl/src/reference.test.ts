import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMemoryBackend, type ExportEntry, type SessionBackend } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { picoclawView, tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';

const keys = ['sk_v1_a', 'agent:main:direct:a', 'agent_main_direct_a', 'AGENT_main_direct_a'];
const key = fc.constantFrom(...keys);
const content = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constant('LONG'));
const message = fc.record(
  {
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content,
    id: fc.constantFrom('a', 'b', 'line-1', 'ü"\\'),
  },
  { requiredKeys: ['role', 'content'] },
);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      key,
      messages: fc.array(message, { maxLength: 4 }),
    }),
  },
  fc.record({
    do: fc.constant('replace' as const),
    key,
    messages: fc.array(message, { maxLength: 3 }),
    keep: fc.nat(4),
  }),
  fc.record({ do: fc.constant('truncate' as const), key, keepLast: fc.nat(3) }),
  fc.record({
    do: fc.constantFrom(
      'reset' as const,
      'compact' as const,
      'clear' as const,
      'delete' as const,
      'purge' as const,
      'restore' as const,
      'ensure' as const,
      'archive' as const,
    ),
    key,
  }),
  fc.record({ do: fc.constant('promote' as const), key, from: key }),
  fc.record({ do: fc.constant('reopen' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(store: SessionBackend, each: Exclude<Step, { readonly do: 'reopen' }>): Promise<unknown> {
  try {
    switch (each.do) {
      case 'append':
        return await store.append(each.key, each.messages.map(lengthened));
      case 'replace': {
        const active = await store.read(each.key, { limit: each.keep });
        return await store.replace(each.key, [...active, ...each.messages.map(lengthened)]);
      }
      case 'truncate':
        return await store.truncate(each.key, { keepLast: each.keepLast });
      case 'promote':
        return await store.promote(each.key, [each.from]);
      case 'ensure':
        return await store.ensure(each.key, { aliases: [`agent:main:other:${each.key}`] });
      default:
        return await store[each.do](each.key);
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

/** Long enough that a history takes several blocks to read; written out only here, for the sake of reports. */
function lengthened<T extends { readonly content: string }>(message: T): T {
  return message.content === 'LONG' ? { ...message, content: 'x'.repeat(70_000) } : message;
}

async function everything(store: SessionBackend): Promise<ExportEntry[]> {
  const entries: ExportEntry[] = [];
  for await (const entry of store.export()) entries.push(entry);
  return entries;
}

const foreignLine = fc.oneof(
  fc.constantFrom(
    '{"role":"user","content":"cut he',
    '{"type":"header"}',
    '\0\0\0',
    '{"role":"user","content":""}{}',
  ),
  fc
    .record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.string({ maxLength: 8 }),
      x: fc.boolean(),
    })
    .map((record) => JSON.stringify(record)),
  fc.constant('\r'),
);
/** A history as another program leaves it: lines without seqs, some of them broken, the last one perhaps torn. */
const foreignHistory = fc.record({
  lines: fc.array(foreignLine, { maxLength: 6 }),
  skip: fc.nat(8),
  ended: fc.boolean(),
});

describe('beside the store in memory', () => {
  it('gives the same for any calls, reopened at any time, and PicoClaw sees what is active', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(foreignHistory),
        fc.array(step, { maxLength: 25 }),
        async (foreign, steps) => {
          const directory = await tempFolder();
          let clock = 0;
          let ids = 0;
          const fixed = { now: () => new Date(Date.UTC(2027, 0, 1) + clock), newId: () => `new-${++ids}` };
          const open = () => createJsonlBackend({ directory, ...fixed });
          if (foreign !== null) await writeForeign(directory, foreign);
          const reference = createMemoryBackend(fixed);
          let store = await open();
          await reference.import(await everything(store));
          for (const name of keys.slice(1)) await Promise.all([store.ensure(name), reference.ensure(name)]);

          for (const each of steps) {
            clock += 1000;
            if (each.do === 'reopen') {
              await store.close();
              store = await open();
              continue;
            }
            const idsBefore = ids;
            const wanted = await take(reference, each);
            ids = idsBefore;
            expect(await take(store, each)).toEqual(wanted);
            for (const name of keys) {
              expect(await store.meta(name)).toEqual(await reference.meta(name));
              for (const range of ranges)
                expect(await store.read(name, range)).toEqual(await reference.read(name, range));
            }
          }
          expect(await everything(store)).toEqual(await everything(reference));
          await store.close();
          store = await open();
          expect(await everything(store)).toEqual(await everything(reference));
          const meta = await store.meta('sk_v1_a');
          const active = await store.read('sk_v1_a');
          await store.close();
          if (meta?.revision === undefined || (foreign !== null && meta.revision <= foreign.lines.length + 1))
            return;
          const seen = await picoclawView(directory, 'sk_v1_a');
          expect(seen.messages.map(({ content }) => content)).toEqual(active.map(({ content }) => content));
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 40) },
    );
  }, 180_000);
});

const ranges = [
  {},
  { order: 'desc', limit: 2 },
  { after: 2, limit: 2, segment: 'all' },
  { before: 4, limit: 2, order: 'desc', segment: 'all' },
] as const;

async function writeForeign(
  directory: string,
  {
    lines,
    skip,
    ended,
  }: { readonly lines: readonly string[]; readonly skip: number; readonly ended: boolean },
): Promise<void> {
  const time = '2026-03-01T10:00:00Z';
  const meta = {
    key: 'sk_v1_a',
    summary: 'so far',
    skip,
    count: lines.length,
    created_at: time,
    updated_at: time,
  };
  await writeFile(join(directory, 'sk_v1_a.meta.json'), JSON.stringify(meta));
  await writeFile(join(directory, 'sk_v1_a.jsonl'), lines.join('\n') + (ended ? '\n' : ''));
}
