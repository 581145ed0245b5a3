import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const fixtures = join(import.meta.dirname, '../../../packages/session-openclaw/test/fixtures');
type Fixture = 'openclaw' | 'openclaw-full' | 'openclaw-sqlite';

function openclaw(name: Fixture): {
  readonly folder: string;
  readonly state: string;
  readonly sessions: string;
} {
  const folder = temporaryFolder();
  const state = join(folder, '.openclaw');
  cpSync(join(fixtures, name, 'agents'), join(state, 'agents'), { recursive: true });
  return { folder, state, sessions: join(state, 'agents/main/sessions') };
}

function expectedOf<Shape>(name: Fixture): Shape {
  return JSON.parse(readFileSync(join(fixtures, name, 'expected.json'), 'utf8'));
}

function contentOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path, 'base64')]),
  );
}

interface Session {
  readonly key: string;
  readonly title: string | null;
  readonly message_count: number;
  readonly active_count: number;
  readonly summary: string;
}
interface Report {
  readonly sessions: readonly { readonly key: string; readonly status: string; readonly messages: number }[];
  readonly problems: readonly { readonly code: string; readonly session: string | null }[];
  readonly notes: readonly { readonly code: string; readonly message: string }[];
  readonly dry_run: boolean;
}

const json = async (folder: string, args: readonly string[]) =>
  JSON.parse((await holdfast(folder, [...args, '--json'])).stdout);

test('migrate brings OpenClaw into any store as a dry run said, names what needed judgement, and can be repeated', async () => {
  const { folder, state } = openclaw('openclaw');
  const before = contentOf(state);
  const wanted = expectedOf<{
    sessions: Record<
      string,
      { messages: number; summary?: string; title?: string; active_from_message?: number }
    >;
  }>('openclaw').sessions;
  for (const to of [`jsonl:${join(folder, 'new')}`, `sqlite:${join(folder, 'new.db')}`]) {
    const args = ['migrate', '--from', 'openclaw', state, '--to', to];
    const trial: Report = await json(folder, [...args, '--dry-run']);
    expect(readdirSync(folder).some((name) => to.endsWith(`/${name}`))).toBe(false);
    const first = await holdfast(folder, [...args, '--json']);
    expect([first.code, first.stderr]).toEqual([1, '']);
    const report: Report = JSON.parse(first.stdout);
    expect({ ...report, dry_run: true }).toEqual(trial);
    expect(report.sessions.map(({ key, messages, status }) => [key, messages, status]).sort()).toEqual(
      Object.entries(wanted)
        .map(([key, { messages }]) => [key, messages, 'copied'])
        .sort(),
    );
    expect(report.problems.map(({ code }) => code).sort()).toEqual([
      'damaged-line',
      'invalid-time',
      'orphan-transcript',
      'transcript-missing',
    ]);
    const listed: Session[] = await json(folder, ['sessions', 'list', '--all', '--store', to]);
    for (const [key, want] of Object.entries(wanted)) {
      expect(listed.find((session) => session.key === key)).toMatchObject({
        message_count: want.messages,
        active_count: want.messages - ((want.active_from_message ?? 1) - 1),
        summary: want.summary ?? '',
        ...(want.title === undefined ? {} : { title: want.title }),
      });
    }
    const again: Report = await json(folder, args);
    expect(new Set(again.sessions.map(({ status }) => status))).toEqual(new Set(['present']));
  }
  expect(contentOf(state)).toEqual(before);
});

test('an agent whose index is lost is named, its transcripts are taken on request, and a database is taken like files', async () => {
  const { folder, state } = openclaw('openclaw-full');
  const to = `jsonl:${join(folder, 'new')}`;
  const args = ['migrate', '--from', 'openclaw', state, '--to', to];
  const report: Report = await json(folder, args);
  expect(report.problems.filter(({ code }) => code === 'unreadable-index')).toHaveLength(1);
  expect(report.sessions.every(({ status }) => status === 'copied')).toBe(true);
  const all: Report = await json(folder, [...args, '--orphans']);
  const recovered = all.sessions.filter(({ status }) => status === 'copied').map(({ key }) => key);
  expect(recovered).toHaveLength(4);
  expect(recovered.filter((key) => key.startsWith('agent:broken:'))).toHaveLength(2);

  const newer = openclaw('openclaw-sqlite');
  const before = contentOf(newer.state);
  const result = await holdfast(folder, [
    'migrate',
    '--from',
    'openclaw',
    newer.state,
    '--to',
    `${to}-2`,
    '--json',
  ]);
  expect(result.code).toBe(0);
  const wanted = expectedOf<{ sessions: Record<string, { messages: number }> }>('openclaw-sqlite').sessions;
  expect(
    JSON.parse(result.stdout).sessions.map(({ key, messages }: { key: string; messages: number }) => [
      key,
      messages,
    ]),
  ).toEqual(
    Object.entries(wanted)
      .map(([key, { messages }]) => [key, messages])
      .sort(),
  );
  expect(contentOf(newer.state)).toEqual(before);
});

test('migrate goes on where OpenClaw has gone on, and leaves alone what lives here', async () => {
  const { folder, state, sessions } = openclaw('openclaw');
  const to = `jsonl:${join(folder, 'new')}`;
  const args = ['migrate', '--from', 'openclaw', state, '--to', to];
  await json(folder, args);
  const group = 'agent:main:telegram:group:-1001234567890';
  await holdfast(folder, ['sessions', 'rename', 'agent:main:main', 'Ours', '--store', to]);
  await holdfast(folder, ['sessions', 'archive', 'cron:nightly', '--store', to]);
  const said = (id: string, parentId: string) =>
    `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-02-25T07:00:00.000Z', message: { role: 'user', content: 'and more' } })}\n`;
  appendFileSync(join(sessions, '00000002-1111-4222-8333-444444444442.jsonl'), said('n1', '20000004'));
  appendFileSync(join(sessions, '00000001-1111-4222-8333-444444444441.jsonl'), said('n2', '10000007'));
  const report: Report = await json(folder, args);
  const statuses = Object.fromEntries(report.sessions.map(({ key, status }) => [key, status]));
  expect(statuses).toMatchObject({ [group]: 'copied', 'agent:main:main': 'newer', 'cron:nightly': 'newer' });
  expect(report.problems.filter(({ code }) => code === 'gone-apart').map(({ session }) => session)).toEqual([
    'agent:main:main',
  ]);
  const { messages } = await json(folder, ['sessions', 'show', group, '--store', to]);
  expect(messages.map(({ content }: { content: string }) => content).at(-1)).toBe('and more');
});

test('OpenClaw is looked into while it runs, and nothing is written there', async () => {
  const { folder, state, sessions } = openclaw('openclaw');
  const store = ['--store', `openclaw:${state}`];
  const before = contentOf(state);
  const listed: Session[] = await json(folder, ['sessions', 'list', ...store]);
  expect(listed).toHaveLength(7);
  const shown = await json(folder, ['sessions', 'show', 'AGENT:main:MAIN', '--all', ...store]);
  expect(shown.messages).toHaveLength(6);
  const found = await holdfast(folder, ['doctor', ...store, '--json']);
  expect(found.code).toBe(1);
  expect(JSON.parse(found.stdout)).toMatchObject({ sessions: 7, messages: 16 });
  expect(JSON.parse(found.stdout).problems.map(({ code }: { code: string }) => code)).toEqual([
    'transcript-missing',
    'orphan-transcript',
    'damaged-line',
    'invalid-time',
  ]);
  for (const args of [
    ['sessions', 'rename', 'agent:main:main', 'x'],
    ['sessions', 'reset', 'agent:main:main'],
    ['doctor', '--fix'],
  ]) {
    const refused = await holdfast(folder, [...args, ...store]);
    expect([refused.code === 0, refused.stdout]).toEqual([false, '']);
  }
  expect((await holdfast(folder, ['sessions', 'reset', 'agent:main:main', ...store])).stderr).toContain(
    'Unsupported',
  );
  expect(contentOf(state)).toEqual(before);
  const late = {
    type: 'message',
    id: 'late',
    parentId: '20000004',
    message: { role: 'user', content: 'just now' },
  };
  appendFileSync(join(sessions, '00000002-1111-4222-8333-444444444442.jsonl'), `${JSON.stringify(late)}\n`);
  const now = await json(folder, ['sessions', 'show', 'agent:main:telegram:group:-1001234567890', ...store]);
  expect(now.messages.at(-1).content).toBe('just now');
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  expect((await holdfast(folder, ['sessions', 'list', '--store', `openclaw:${empty}`])).code).toBe(1);
});

test('sessions go back into OpenClaw as files, the unchanged ones byte for byte', async () => {
  const { folder, state, sessions } = openclaw('openclaw');
  const to = `sqlite:${join(folder, 'new.db')}`;
  await json(folder, ['migrate', '--from', 'openclaw', state, '--to', to]);
  const target = join(folder, 'back');
  const copied: Report = await json(folder, ['sessions', 'copy', '--from', to, '--to', `openclaw:${target}`]);
  expect(copied.sessions.every(({ status }) => status === 'copied')).toBe(true);
  const back = contentOf(join(target, 'agents/main/sessions'));
  const originals = contentOf(sessions);
  for (const [name, bytes] of Object.entries(back)) expect([name, bytes]).toEqual([name, originals[name]]);
  expect(Object.keys(back)).toHaveLength(7);
  const again: Report = await json(folder, ['sessions', 'copy', '--from', to, '--to', `openclaw:${target}`]);
  expect(again.sessions.every(({ status }) => status === 'present')).toBe(true);
});

test('the next message of the same person, group or topic goes on with the session that was brought over', async () => {
  const { folder, state } = openclaw('openclaw');
  const data = join(folder, 'data');
  const args = ['migrate', '--from', 'openclaw', state, '--to', `jsonl:${join(data, 'sessions')}`];
  const { notes }: Report = await json(folder, [...args, '--dry-run']);
  expect(notes.find(({ code }) => code === 'shared-main')?.message).toMatch(
    / --main-as agent:main:telegram:direct:123$/,
  );
  args.push('--main-as', 'agent:main:telegram:direct:123');
  await json(folder, args);
  writeFileSync(join(folder, 'holdfast.config.json'), '{}');
  const program = await startProgram(folder);
  try {
    const client = clientOf(program.url);
    const group = { channel: 'telegram', chat_type: 'group', chat_id: '-1001234567890', sender_id: '7' };
    const contexts = [
      [{ channel: 'telegram', chat_type: 'direct', chat_id: '123', sender_id: '123' }, 'Plan my week'],
      [
        { channel: 'telegram', chat_type: 'direct', chat_id: '123456789', sender_id: '123456789' },
        'plain string content',
      ],
      [group, 'Draft a title'],
      [{ ...group, topic_id: '42' }, 'look'],
      [
        { channel: 'slack', account: 'acme', chat_type: 'direct', chat_id: 'D1', sender_id: 'U024BE7LH' },
        'old linear file',
      ],
      [
        { channel: 'matrix', chat_type: 'channel', chat_id: '!AbC:example.org', sender_id: '@a:b' },
        'colons in my key',
      ],
    ] as const;
    for (const [context, firstWords] of contexts) {
      const { session_key } = await client.inbound(context, 'hello again');
      const messages = await client.messages(session_key);
      expect([messages[0]?.content, session_key.startsWith('sk_v1_')]).toEqual([firstWords, true]);
      expect(messages.map(({ content }) => content)).toContain('hello again');
    }
  } finally {
    await program.end();
  }
  const again: Report = await json(folder, args);
  expect(again.sessions.filter(({ status }) => status === 'newer')).toHaveLength(6);
  expect(again.sessions.some(({ status }) => status === 'copied' || status === 'failed')).toBe(false);
});
