import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryBackend, type Message, messageText, type SessionBackend } from '@x/session-store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf, fixtureFolder, temporaryFolder } from '../../test/folders.js';
import { createOpenclawBackend, writeOpenclawFolder } from '../index.js';

const runs = Number(process.env.EXPORT_RUNS ?? 40);
const direct = 'agent:main:telegram:direct:123456789';

async function imported(): Promise<SessionBackend> {
  const source = await createOpenclawBackend({ directory: fixtureFolder('openclaw') });
  const backend = createMemoryBackend();
  await backend.import(source.export());
  await source.close();
  return backend;
}

/** A session as a reader of OpenClaw's would tell it. */
async function told(backend: SessionBackend, key: string) {
  const meta = await backend.meta(key);
  const ends = (meta?.segments ?? []).map(({ lastSeq }) => lastSeq);
  const messages = await backend.read(key, { segment: 'all' });
  const active = await backend.read(key);
  const say = ({ role, content, toolCalls, toolCallId, media, reasoning }: Message) => ({
    role,
    text: messageText({ content }),
    calls: toolCalls ?? [],
    toolCallId,
    media: media ?? [],
    reasoning,
  });
  const segmentOf = (seq: number) => ends.filter((end) => end < seq).length;
  const segments: object[][] = [...ends, 0].map(() => []);
  for (const message of messages) segments[segmentOf(message.seq)]?.push(say(message));
  // A segment in which nothing was said leaves no transcript.
  const spoken = segments.filter((segment, place) => segment.length > 0 || place === ends.length);
  return {
    summary: meta?.summary,
    active: active.map(say),
    segments: spoken,
    archived: meta?.archivedAt !== undefined,
  };
}

async function back<Result>(
  directory: string,
  look: (backend: SessionBackend) => Promise<Result>,
): Promise<Result> {
  const backend = await createOpenclawBackend({ directory });
  try {
    return await look(backend);
  } finally {
    await backend.close();
  }
}

test('what was said here since follows what was there, and only the entry of that session changes', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const sessions = join(target, 'agents/main/sessions');
  const before = contentOf(sessions);
  const path = join(sessions, '00000001-1111-4222-8333-444444444441.jsonl');
  const lines = readFileSync(path, 'utf8');
  await backend.append('agent:main:main', [
    { role: 'user', content: 'And Wednesday?' },
    {
      role: 'assistant',
      content: 'Looking.',
      toolCalls: [{ id: 'c9', name: 'calendar', arguments: '{"day":3}' }],
      reasoning: 'the calendar',
      usage: { inputTokens: 5, outputTokens: 2 },
      modelName: 'demo-3',
    },
    { role: 'tool', content: 'full', toolCallId: 'c9', toolName: 'calendar' },
    { role: 'assistant', content: 'Wednesday is full.', media: ['data:image/png;base64,iVBORw0KGgo='] },
  ]);
  const outcomes = await writeOpenclawFolder(target, backend.export());
  expect(outcomes.filter(({ status }) => status === 'copied').map(({ key }) => key)).toEqual([
    'agent:main:main',
  ]);
  const after = readFileSync(path, 'utf8');
  expect(after.startsWith(lines)).toBe(true);
  const added = after
    .slice(lines.length)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(added.map(({ parentId }) => parentId)).toEqual([
    '10000007',
    ...added.slice(0, 3).map(({ id }) => id),
  ]);
  expect(added[1].message).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'the calendar' },
      { type: 'text', text: 'Looking.' },
      { type: 'toolCall', id: 'c9', name: 'calendar', arguments: { day: 3 } },
    ],
    stopReason: 'toolUse',
    usage: { input: 5, output: 2 },
  });
  const changed = Object.entries(contentOf(sessions)).filter(([name, content]) => before[name] !== content);
  expect(changed.map(([name]) => name.replace(/bak\.\d+$/, 'bak')).sort()).toEqual([
    '00000001-1111-4222-8333-444444444441.jsonl',
    'sessions.json',
    'sessions.json.bak',
  ]);
  expect(await back(target, (reader) => told(reader, 'agent:main:main'))).toEqual(
    await told(backend, 'agent:main:main'),
  );
  const entry = JSON.parse(readFileSync(join(sessions, 'sessions.json'), 'utf8'))['agent:main:main'];
  expect(entry).toMatchObject({ futureField: { kept: 1 }, lastTo: 'telegram:123', compactionCount: 1 });
  expect(entry.updatedAt).toBeGreaterThan(1_772_000_000_009);
});

test('a reset closes the transcript under the name that OpenClaw gives it, and begins another', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  await backend.reset(direct, { reason: 'command' });
  await backend.append(direct, [{ role: 'user', content: 'anew' }]);
  await writeOpenclawFolder(target, backend.export());
  const names = readdirSync(join(target, 'agents/main/sessions')).filter((name) =>
    name.startsWith('00000003'),
  );
  expect(names).toEqual([
    expect.stringMatching(/^00000003-[-\w]+\.jsonl\.reset\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z$/),
  ]);
  expect(await back(target, (reader) => told(reader, direct))).toEqual(await told(backend, direct));
});

test('sessions that were never OpenClaws get keys, entries and transcripts of their own; what is deleted stays here', async () => {
  const backend = createMemoryBackend();
  const scope = {
    version: 1,
    agentId: 'main',
    channel: 'telegram',
    account: 'default',
    dimensions: ['chat'],
    values: { chat: 'group:-5/9' },
  } as const;
  await backend.ensure('sk_v1_1', { scope, title: 'Topic nine' });
  await backend.append('sk_v1_1', [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ]);
  await backend.ensure('my notes/../../x', { agentId: 'Ops' });
  await backend.append('my notes/../../x', [{ role: 'user', content: 'note' }]);
  await backend.ensure('gone');
  await backend.delete('gone');
  const target = temporaryFolder();
  const outcomes = await writeOpenclawFolder(target, backend.export());
  expect(outcomes.map(({ key, status }) => [key, status])).toEqual([
    ['gone', 'left'],
    ['my notes/../../x', 'copied'],
    ['sk_v1_1', 'copied'],
  ]);
  expect(readdirSync(join(target, 'agents')).sort()).toEqual(['main', 'ops']);
  await back(target, async (reader) => {
    const keys = (await reader.list()).sessions.map(({ key }) => key).sort();
    expect(keys).toEqual(['agent:main:telegram:group:-5:topic:9', 'agent:ops:explicit:my notes/../../x']);
    expect(await told(reader, keys[0] ?? '')).toEqual(await told(backend, 'sk_v1_1'));
    expect((await reader.meta(keys[0] ?? ''))?.title).toBe('Topic nine');
  });
});

test('recovered transcripts get entries, and one that was put away and is spoken to again is in use', async () => {
  const source = await createOpenclawBackend({ directory: fixtureFolder('openclaw-full'), orphans: true });
  const backend = createMemoryBackend();
  await backend.import(source.export());
  await source.close();
  const keys = (await backend.list({ archived: 'include', limit: 100 })).sessions.map((meta) => meta.key);
  const deleted = keys.find((each) => each.includes('.deleted.')) ?? '';
  await backend.append(deleted, [{ role: 'user', content: 'still there?' }]);
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const names = readdirSync(join(target, 'agents/main/sessions'));
  expect(names).toContain('f100005c-0000-4000-8000-00000000005c.jsonl');
  await back(target, async (reader) => {
    const found = (await reader.list({ archived: 'include', limit: 100 })).sessions.map((meta) => meta.key);
    expect(found.sort()).toEqual(keys.sort());
    for (const each of keys)
      expect([each, await told(reader, each)]).toEqual([each, await told(backend, each)]);
  });
});

test('what holds something else is left alone: transcripts and entries that have gone on in OpenClaw', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const sessions = join(target, 'agents/main/sessions');
  const path = join(sessions, '00000003-1111-4222-8333-444444444443.jsonl');
  appendFileSync(path, '\n{"type":"custom","id":"x","parentId":null}\n');
  const index = join(sessions, 'sessions.json');
  const entries = JSON.parse(readFileSync(index, 'utf8'));
  entries['agent:main:telegram:group:-1001234567890'].sessionId = 'another';
  entries['cron:nightly'].updatedAt = 1_800_000_000_000;
  writeFileSync(index, JSON.stringify(entries));
  await backend.append(direct, [{ role: 'user', content: 'more' }]);
  await backend.append('cron:nightly', [{ role: 'user', content: 'more' }]);
  const before = contentOf(sessions);
  const outcomes = await writeOpenclawFolder(target, backend.export());
  const failed = outcomes.filter(({ status }) => status === 'failed').map(({ key }) => key);
  expect(failed).toEqual([
    'agent:main:telegram:direct:123456789',
    'agent:main:telegram:group:-1001234567890',
    'cron:nightly',
  ]);
  const after = contentOf(sessions);
  expect(after['00000003-1111-4222-8333-444444444443.jsonl']).toBe(
    before['00000003-1111-4222-8333-444444444443.jsonl'],
  );
  expect(JSON.parse(readFileSync(index, 'utf8'))['agent:main:telegram:group:-1001234567890'].sessionId).toBe(
    'another',
  );
});

test('what has gone on in OpenClaw and not here is newer there, and left as it is', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const sessions = join(target, 'agents/main/sessions');
  appendFileSync(
    join(sessions, '00000001-1111-4222-8333-444444444441.jsonl'),
    '{"type":"custom","id":"x","parentId":"10000007","customType":"ext"}\n',
  );
  const index = join(sessions, 'sessions.json');
  const entries = JSON.parse(readFileSync(index, 'utf8'));
  entries['agent:main:slack:acme:direct:u024be7lh'].updatedAt += 1;
  writeFileSync(index, JSON.stringify(entries));
  const before = contentOf(sessions);
  const outcomes = await writeOpenclawFolder(target, backend.export());
  expect(outcomes.filter(({ status }) => status !== 'present')).toEqual([
    { key: 'agent:main:main', messages: 6, status: 'newer' },
    { key: 'agent:main:slack:acme:direct:u024be7lh', messages: 2, status: 'newer' },
  ]);
  expect(contentOf(sessions)).toEqual(before);
});

test('a transcript that OpenClaw has in hand is left for later, and the others are written', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const sessions = join(target, 'agents/main/sessions');
  const lock = join(sessions, '00000001-1111-4222-8333-444444444441.jsonl.lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
  for (const name of ['agent:main:main', direct])
    await backend.append(name, [{ role: 'user', content: 'more' }]);
  const statusOf = async () => {
    const outcomes = await writeOpenclawFolder(target, backend.export(), { waitMs: 50 });
    return outcomes
      .filter(({ status }) => status !== 'present')
      .map(({ key: name, status }) => [name, status]);
  };
  expect(await statusOf()).toEqual([
    ['agent:main:main', 'failed'],
    [direct, 'copied'],
  ]);
  rmSync(lock);
  expect(await statusOf()).toEqual([['agent:main:main', 'copied']]);
  expect(await back(target, (reader) => told(reader, direct))).toEqual(await told(backend, direct));
});

test('an index that is no JSON object stops the writing of its entries, and is left as it is', async () => {
  const backend = await imported();
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const index = join(target, 'agents/main/sessions/sessions.json');
  writeFileSync(index, '');
  await expect(writeOpenclawFolder(target, backend.export())).rejects.toMatchObject({ code: 'StoreCorrupt' });
  expect(readFileSync(index, 'utf8')).toBe('');
  expect(existsSync(`${index}.lock`)).toBe(false);
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', 'x'.repeat(100), '\u2028\n\u0000a'),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: text }),
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('assistant' as const), content: text, reasoning: fc.constant('thought') }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.constant([{ id: 'c', name: 'look', arguments: '{"at":"x"}' }]),
  }),
  fc.record({ role: fc.constant('tool' as const), content: text, toolCallId: fc.constant('c') }),
);
type Step = (backend: SessionBackend, key: string) => Promise<unknown>;
const growing: fc.Arbitrary<Step> = fc.oneof(
  fc.array(message, { minLength: 1, maxLength: 3 }).map(
    (messages): Step =>
      (backend, key) =>
        backend.append(key, messages),
  ),
  fc.record({ summary: text }).map(
    (options): Step =>
      (backend, key) =>
        backend.reset(key, options),
  ),
  fc.record({ keepLast: fc.nat(4), summary: text }).map(
    (cut): Step =>
      (backend, key) =>
        backend.truncate(key, cut),
  ),
  text.map(
    (summary): Step =>
      (backend, key) =>
        backend.setSummary(key, summary),
  ),
  fc.constant<Step>((backend, key) => backend.archive(key)),
  fc.constant<Step>((backend, key) => backend.rename(key, 'A name')),
);
const any: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: growing },
  fc.array(message, { maxLength: 4 }).map(
    (messages): Step =>
      (backend, key) =>
        backend.replace(key, messages),
  ),
  fc.constant<Step>((backend, key) => backend.compact(key)),
  fc.constant<Step>((backend, key) => backend.clear(key)),
);
const key = fc.constantFrom(
  'agent:main:main',
  'agent:main:telegram:group:-1001234567890',
  'agent:main:slack:acme:direct:u024be7lh',
  'agent:main:telegram:group:-1001234567890:topic:42',
  direct,
  'cron:nightly',
  'agent:main:new:direct:1',
);

test('whatever was done here, OpenClaw reads it as it stands here', async () => {
  await fc.assert(
    fc.asyncProperty(key, fc.array(any, { maxLength: 6 }), async (name, steps) => {
      const backend = await imported();
      await backend.ensure(name);
      for (const step of steps) await step(backend, name);
      const target = temporaryFolder();
      const outcomes = await writeOpenclawFolder(target, backend.export());
      expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'copied'));
      expect(await back(target, (reader) => told(reader, name))).toEqual(await told(backend, name));
    }),
    { numRuns: runs },
  );
}, 300_000);

test('whatever is added between two times of writing, the second one goes on from the first', async () => {
  await fc.assert(
    fc.asyncProperty(
      key,
      fc.array(fc.array(growing, { maxLength: 3 }), { maxLength: 3 }),
      async (name, rounds) => {
        const backend = await imported();
        await backend.ensure(name);
        const target = temporaryFolder();
        for (const steps of [[], ...rounds]) {
          for (const step of steps) await step(backend, name);
          const outcomes = await writeOpenclawFolder(target, backend.export());
          expect(outcomes.filter(({ status }) => status === 'failed')).toEqual([]);
          expect(await back(target, (reader) => told(reader, name))).toEqual(await told(backend, name));
        }
      },
    ),
    { numRuns: runs },
  );
}, 300_000);
