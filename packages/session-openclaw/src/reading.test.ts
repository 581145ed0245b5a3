import type { SessionBackend, SessionMeta, StoredMessage } from '@x/session-store';
import { messageText } from '@x/session-store';
import { expect, test } from 'vitest';
import { contentOf, expectation, type FixtureName, fixtureFolder } from '../test/folders.js';
import { createOpenclawBackend, type Finding } from './index.js';

async function read(name: FixtureName, orphans = false) {
  const directory = fixtureFolder(name);
  const before = contentOf(directory);
  const findings: Finding[] = [];
  const backend = await createOpenclawBackend({
    directory,
    orphans,
    onFinding: (each) => findings.push(each),
  });
  const sessions = new Map<string, SessionReading>();
  for (const meta of await everySession(backend)) {
    sessions.set(meta.key, { meta, messages: await backend.read(meta.key, { segment: 'all' }) });
  }
  const of = (key: string): SessionReading => {
    const found = sessions.get(key);
    if (found === undefined) throw new Error(`There is no session ${key}.`);
    return found;
  };
  const codes = (severity: Finding['severity']) =>
    findings.filter((each) => each.severity === severity).map(({ code, key, line }) => [code, key, line]);
  return { directory, before, backend, sessions, findings, of, codes };
}

interface SessionReading {
  readonly meta: SessionMeta;
  readonly messages: readonly StoredMessage[];
}

async function everySession(backend: SessionBackend): Promise<readonly SessionMeta[]> {
  return (await backend.list({ archived: 'include', limit: 1000 })).sessions;
}

interface SmallExpectation {
  readonly sessions: Readonly<
    Record<
      string,
      {
        readonly messages: number;
        readonly roles: readonly string[];
        readonly summary?: string;
        readonly active_from_message?: number;
        readonly last?: string;
        readonly title?: string;
        readonly pinned?: true;
      }
    >
  >;
  readonly orphans: readonly string[];
}

test('a folder of files is read: messages, branch, compaction, titles, and everything that needed judgement', async () => {
  const { sessions, of, codes, backend, directory, before } = await read('openclaw');
  const { sessions: wanted } = expectation<SmallExpectation>('openclaw');
  expect([...sessions.keys()].sort()).toEqual(Object.keys(wanted).sort());
  for (const [key, want] of Object.entries(wanted)) {
    const { meta, messages } = of(key);
    expect([key, messages.map(({ role }) => role)]).toEqual([key, want.roles]);
    expect(meta.messageCount).toBe(want.messages);
    expect(meta.summary).toBe(want.summary ?? '');
    expect(meta.cutoff).toBe((want.active_from_message ?? 1) - 1);
    if (want.last !== undefined) expect(messageText(messages.at(-1) ?? { content: '' })).toBe(want.last);
    if (want.title !== undefined) expect(meta.title).toBe(want.title);
    expect(meta.attributes.pinned).toBe(want.pinned);
  }
  expect(of('agent:main:main').meta.attributes.openclaw).toMatchObject({
    entry: { futureField: { kept: 1 } },
  });
  expect(of('agent:main:telegram:direct:123456789').messages).toMatchObject([
    { content: 'plain string content' },
    { toolCalls: [{ id: 'x1', name: 'shell', arguments: '{"cmd":"ls"}' }], meta: { status: 'interrupted' } },
  ]);
  expect(of('agent:main:telegram:group:-1001234567890:topic:42').messages[0]?.media).toEqual([
    'data:image/png;base64,iVBORw0KGgo=',
  ]);
  expect(of('agent:main:main').messages[1]).toMatchObject({
    reasoning: 'calendar first',
    modelName: 'demo-1',
    usage: { inputTokens: 120, outputTokens: 14, totalTokens: 134 },
    toolCalls: [{ id: 'tc1', name: 'calendar', arguments: '{"week":9}' }],
  });
  expect(of('agent:main:main').messages[2]).toMatchObject({ toolCallId: 'tc1', toolName: 'calendar' });
  expect(codes('problem')).toEqual([
    ['transcript-missing', 'cron:nightly', undefined],
    ['orphan-transcript', expect.stringContaining('recovered:00000007'), undefined],
    ['damaged-line', 'agent:main:telegram:direct:123456789', 4],
    ['invalid-time', 'agent:main:matrix:channel:!AbC:example.org', undefined],
  ]);
  expect(codes('note').map(([code]) => code)).toEqual([
    ...['path-derived', 'path-derived', 'path-derived', 'path-derived'],
    ...['branches', 'unanswered-call', 'older-version'],
  ]);
  await backend.close();
  expect(contentOf(directory)).toEqual(before);
});

interface FullExpectation {
  readonly agents: readonly string[];
  readonly sessions: readonly {
    readonly key: string;
    readonly agentId: string;
    readonly messages: number;
    readonly abandonedEntries?: number;
    readonly aliasOf?: string;
    readonly roles: Readonly<Record<string, number>>;
    readonly context?: Readonly<Record<string, number>>;
    readonly compactions?: readonly { readonly summaryStartsWith: string }[];
    readonly damagedLines?: readonly number[];
    readonly usage?: { readonly input: number; readonly output: number };
    readonly archived?: true;
    readonly label?: string;
    readonly previousGenerations?: readonly string[];
  }[];
  readonly skippedEntries: readonly { readonly key: string }[];
  readonly archives: readonly { readonly sessionId: string; readonly messages: number }[];
  readonly orphanTranscripts: readonly { readonly sessionId: string; readonly messages: number }[];
}

test('a larger folder: aliases, earlier generations, old versions, damage, and an agent without its index', async () => {
  const { sessions, of, codes, findings, backend, directory, before } = await read('openclaw-full');
  const wanted = expectation<FullExpectation>('openclaw-full');
  const own = wanted.sessions.filter(({ aliasOf }) => aliasOf === undefined);
  expect([...sessions.keys()].sort()).toEqual(own.map(({ key }) => key).sort());
  for (const want of wanted.sessions) {
    const key = want.aliasOf ?? want.key;
    expect(await backend.resolve(want.key)).toBe(key);
    const { meta, messages } = of(key);
    const current = messages.filter(({ seq }) => seq > (meta.segments.at(-1)?.lastSeq ?? 0));
    const abandoned = want.abandonedEntries ?? 0;
    expect([key, current.length]).toEqual([key, want.messages - abandoned]);
    expect(meta.agentId).toBe(want.agentId);
    if (want.context !== undefined) {
      const { total = 0, compactionSummary = 0 } = want.context;
      expect([key, meta.activeCount]).toEqual([key, total - compactionSummary]);
    }
    expect(meta.summary.startsWith(want.compactions?.[0]?.summaryStartsWith ?? '')).toBe(true);
    expect(meta.archivedAt !== undefined).toBe(want.archived === true);
    if (want.label !== undefined) expect(meta.title).toBe(want.label);
    if (want.usage !== undefined && abandoned === 0) {
      const sum = (name: 'inputTokens' | 'outputTokens') =>
        current.reduce((all, { usage }) => all + (usage?.[name] ?? 0), 0);
      expect([key, sum('inputTokens'), sum('outputTokens')]).toEqual([
        key,
        want.usage.input,
        want.usage.output,
      ]);
    }
    const damaged = findings.filter((each) => each.key === key && each.code === 'damaged-line');
    expect(damaged.map(({ line }) => line)).toEqual(want.damagedLines ?? []);
  }
  const main = of('agent:main:main');
  expect(main.meta.segments).toEqual([{ lastSeq: 2, endedAt: '2026-01-05T08:59:58.120Z', reason: 'reset' }]);
  expect(main.messages.slice(0, 2).map(messageText)).toEqual([
    'Old generation: hello',
    'Hello from last week.',
  ]);
  expect(of('agent:main:whatsapp:direct:+31600000007').messages[1]).toMatchObject({
    role: 'user',
    content: 'Bob is a returning guest.',
    meta: { origin: 'system' },
  });
  expect(
    codes('problem')
      .map(([code]) => code)
      .sort(),
  ).toEqual(
    [
      ...['damaged-line', 'damaged-line', 'entry-left-out', 'entry-left-out', 'outside-folder'],
      ...['transcript-missing', 'transcript-missing', 'unreadable-index'],
      ...['orphan-transcript', 'orphan-transcript', 'orphan-transcript'],
    ].sort(),
  );
  const [broken] = findings.filter(({ code }) => code === 'unreadable-index');
  expect(broken?.message).toContain('agent broken');
  expect(findings.filter(({ code }) => code === 'lock').map(({ message }) => message)).toEqual([
    expect.stringContaining('was left by process 4194303'),
  ]);
  await backend.close();
  expect(contentOf(directory)).toEqual(before);
});

test('what no entry names is taken where one asks for it, each under a key of its own', async () => {
  const { sessions } = await read('openclaw-full', true);
  const { orphanTranscripts, archives } = expectation<FullExpectation>('openclaw-full');
  const counts = [...sessions.values()]
    .filter(({ meta }) => meta.key.includes(':recovered:'))
    .map(({ meta }) => [meta.key.split(':')[3]?.slice(0, 36), meta.messageCount]);
  const left = archives.filter(({ sessionId }) => sessionId !== 'f100005a-0000-4000-8000-00000000005a');
  expect(counts.sort()).toEqual(
    [...orphanTranscripts, ...left].map(({ sessionId, messages }) => [sessionId, messages]).sort(),
  );
});

interface DatabaseExpectation {
  readonly sessions: Readonly<
    Record<
      string,
      {
        readonly roles: readonly string[];
        readonly last?: string;
        readonly title?: string;
        readonly session_id?: string;
      }
    >
  >;
}

test('a database of a newer OpenClaw is read, and nothing is left beside it', async () => {
  const { sessions, of, findings, backend, directory, before } = await read('openclaw-sqlite');
  const { sessions: wanted } = expectation<DatabaseExpectation>('openclaw-sqlite');
  expect([...sessions.keys()].sort()).toEqual(Object.keys(wanted).sort());
  for (const [key, want] of Object.entries(wanted)) {
    const { meta, messages } = of(key);
    expect([key, messages.map(({ role }) => role)]).toEqual([key, want.roles]);
    if (want.last !== undefined) expect(messageText(messages.at(-1) ?? { content: '' })).toBe(want.last);
    expect(meta.title).toBe(want.title);
    if (want.session_id !== undefined)
      expect(meta.attributes.openclaw).toMatchObject({ entry: { sessionId: want.session_id } });
  }
  expect(of('agent:main:telegram:direct:123456789').messages[0]?.content).toBe('日本語 and emoji 🙂');
  expect(findings).toEqual([]);
  await backend.close();
  expect(contentOf(directory)).toEqual(before);
});
