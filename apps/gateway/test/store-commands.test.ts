import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { holdfast } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const fixtures = join(import.meta.dirname, '../../../packages/memory-jsonl/test/fixtures');
const expected = JSON.parse(readFileSync(join(fixtures, 'picoclaw/expected.json'), 'utf8')) as {
  sessions: { key: string; visible: number; total: number; summary: string }[];
  resolve: Record<string, string>;
};
const SLACK = 'sk_v1_cc8430454f012a0e85f524edabb9fb846a3f5d848b1fc77382833f3d89076841';
const TOTAL = expected.sessions.reduce((sum, { total }) => sum + total, 0);

function picoclaw(): { folder: string; sessions: string; store: string } {
  const folder = temporaryFolder();
  const sessions = join(folder, 'picoclaw/sessions');
  cpSync(join(fixtures, 'picoclaw/sessions'), sessions, { recursive: true });
  return { folder, sessions, store: `jsonl:${sessions}` };
}

function contentOf(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
}

interface Problem {
  code: string;
  session: string | null;
  path: string;
  line: number | null;
  fixable: boolean;
}

test('doctor lists what is wrong in a PicoClaw folder, changes nothing, and mends with a copy kept', async () => {
  const { folder, sessions, store } = picoclaw();
  const before = contentOf(sessions);
  const found = await holdfast(folder, ['doctor', '--store', store, '--json']);
  expect([found.code, found.stderr]).toEqual([1, '']);
  const { problems, ...counts } = JSON.parse(found.stdout);
  expect(counts).toEqual({ sessions: expected.sessions.length, messages: TOTAL });
  expect(problems.map(({ code, path, line }: Problem) => [code, basename(path), line])).toEqual([
    ['lagging-metadata', expect.stringContaining('5452a'), null],
    ['broken-metadata', expect.stringContaining('657f0'), null],
    ['skip-beyond-end', expect.stringContaining('6da76'), null],
    ['unreadable-line', `${SLACK}.jsonl`, 3],
    ['torn-line', `${SLACK}.jsonl`, 5],
  ]);
  expect(Object.keys(problems[0])).toEqual(['code', 'session', 'path', 'line', 'message', 'fixable']);
  const asText = await holdfast(folder, ['doctor', '--store', store]);
  expect(asText.stdout.split('\n')).toHaveLength(1 + problems.length + 2);
  expect(asText.stdout).toMatch(/^PROBLEM +WHERE +MENDED BY +WHAT\n/);
  expect(contentOf(sessions)).toEqual(before);
  expect(readdirSync(sessions)).not.toContain('.holdfast');

  const mended = await holdfast(folder, ['doctor', '--store', store, '--fix', '--json']);
  expect(mended.code).toBe(0);
  const { fixed, backup } = JSON.parse(mended.stdout);
  expect(fixed).toHaveLength(5);
  expect(readFileSync(join(backup, `${SLACK}.jsonl`), 'utf8')).toBe(before[`${SLACK}.jsonl`]);
  const after = await holdfast(folder, ['doctor', '--store', store]);
  expect(after).toMatchObject({ code: 0, stdout: `All is well: 10 sessions, ${TOTAL} messages.\n` });
});

test('doctor names broken older files, and finds nothing where there is nothing yet', async () => {
  const folder = temporaryFolder();
  const sessions = join(folder, 'sessions');
  cpSync(join(fixtures, 'picoclaw-legacy/sessions'), sessions, { recursive: true });
  const { code, stdout } = await holdfast(folder, ['doctor', '--store', `jsonl:${sessions}`, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).problems.map(({ code, path }: Problem) => [code, basename(path)])).toEqual([
    ['older-session', 'agent_main_direct_user9.json'],
    ['foreign-file', 'broken.json'],
    ['older-session', 'nokey.json'],
    ['older-session', 'telegram_123456.json'],
  ]);
  const missing = await holdfast(folder, ['doctor', '--store', 'jsonl:nowhere']);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  const none = await holdfast(folder, ['doctor', '--json']);
  expect(none).toMatchObject({ code: 0 });
  expect(JSON.parse(none.stdout)).toEqual({ problems: [], sessions: 0, messages: 0 });
});

test('what is no store is named, with what stands in its place', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'notes');
  const listing = (...args: string[]) => holdfast(folder, ['sessions', 'list', '--json', ...args]);
  for (const [answer, reason] of [
    [await listing('--store', `jsonl:${file}`), 'is no folder'],
    [await listing('--store', `sqlite:${folder}`), 'is a folder, not a database file'],
    [await listing('--store', `sqlite:${file}/chat.sqlite`), 'something on the way there is no folder'],
    [
      await holdfast(folder, ['sessions', 'list'], { environment: { HOLDFAST_DATA: file } }),
      'something on the way there is no folder',
    ],
  ] as const) {
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain(reason);
    expect(answer.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(readFileSync(file, 'utf8')).toBe('notes');
});

test('migrate brings both formats of PicoClaw into any store, says of each session what became of it, and again', async () => {
  const { folder, sessions } = picoclaw();
  cpSync(join(fixtures, 'picoclaw-legacy/sessions'), sessions, { recursive: true });
  const before = contentOf(sessions);
  for (const to of [`jsonl:${join(folder, 'new')}`, `sqlite:${join(folder, 'new.db')}`]) {
    const args = ['migrate', '--from', 'picoclaw', join(folder, 'picoclaw'), '--to', to, '--json'];
    const trial = JSON.parse((await holdfast(folder, [...args, '--dry-run'])).stdout);
    expect(readdirSync(folder).some((name) => to.endsWith(`/${name}`))).toBe(false);
    const first = await holdfast(folder, args);
    // The broken file, the broken metadata and two lines stay behind.
    expect([first.code, first.stderr]).toEqual([1, '']);
    const report = JSON.parse(first.stdout);
    expect({ ...report, dry_run: true }).toEqual(trial);
    expect(
      report.sessions.every(
        ({ status, digest }: { status: string; digest: string }) =>
          status === 'copied' && /^[0-9a-f]{64}$/.test(digest),
      ),
    ).toBe(true);
    expect(report.sessions).toHaveLength(expected.sessions.length + 3);
    expect(report.problems.map(({ path, line }: Problem) => [basename(path), line])).toEqual([
      ['broken.json', null],
      [expect.stringContaining('657f0'), null],
      [`${SLACK}.jsonl`, 3],
      [`${SLACK}.jsonl`, 5],
    ]);

    const shown = async () =>
      JSON.parse((await holdfast(folder, ['sessions', 'list', '--store', to, '--json'])).stdout);
    await holdfast(folder, ['sessions', 'rename', 'cli_notes', 'Renamed since', '--store', to]);
    await holdfast(folder, ['sessions', 'archive', 'nokey', '--store', to]);
    const listed = await shown();
    for (const { key, visible, total, summary } of expected.sessions) {
      expect(listed.find((session: { key: string }) => session.key === key)).toMatchObject({
        active_count: visible,
        message_count: total,
        summary,
      });
    }
    const again = JSON.parse((await holdfast(folder, args)).stdout);
    const statuses = again.sessions.map(
      ({ key, status }: { key: string; status: string }) => `${key} ${status}`,
    );
    expect(statuses).toContain('cli_notes newer');
    expect(statuses.every((text: string) => / (present|newer)$/.test(text))).toBe(true);
    expect(await shown()).toEqual(listed);
  }
  expect(contentOf(sessions)).toEqual(before);
  const wrong = await holdfast(folder, ['migrate', '--from', 'elsewhere', folder]);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
});

test('migrate goes on where PicoClaw has gone on, and leaves alone what lives here', async () => {
  const { folder, sessions } = picoclaw();
  const to = `jsonl:${join(folder, 'new')}`;
  const args = ['migrate', '--from', 'picoclaw', sessions, '--to', to, '--json'];
  await holdfast(folder, args);
  await holdfast(folder, ['sessions', 'rename', 'agent:main:main', 'Ours', '--store', to]);
  for (const name of ['agent_main_direct_user123', 'agent_main_main'])
    appendFileSync(join(sessions, `${name}.jsonl`), '{"role":"user","content":"and more"}\n'.repeat(3));
  const report = JSON.parse((await holdfast(folder, args)).stdout);
  const statuses = Object.fromEntries(
    report.sessions.map(({ key, status }: { key: string; status: string }) => [key, status]),
  );
  expect(statuses).toMatchObject({
    'agent:main:direct:user123': 'copied',
    'agent:main:main': 'newer',
    'agent:main:direct:a_b': 'present',
  });
  const shown = await holdfast(folder, [
    'sessions',
    'show',
    'agent:main:direct:user123',
    '--store',
    to,
    '--json',
  ]);
  expect(JSON.parse(shown.stdout).messages).toHaveLength(5);
});

test('a session that the store does not take is named, and no half of it is left there', async () => {
  const { folder, sessions } = picoclaw();
  const line = (content: string) => `${JSON.stringify({ role: 'user', content })}\n`;
  appendFileSync(join(sessions, 'cli_notes.jsonl'), line('short').repeat(400) + line('x'.repeat(11_000_000)));
  const to = `jsonl:${join(folder, 'new')}`;
  const result = await holdfast(folder, ['migrate', '--from', 'picoclaw', sessions, '--to', to, '--json']);
  expect(result.code).toBe(1);
  const report: { sessions: { key: string; status: string; error?: string }[] } = JSON.parse(result.stdout);
  const failed = report.sessions.filter(({ status }) => status !== 'copied');
  expect(failed).toEqual([expect.objectContaining({ key: 'cli_notes', status: 'failed' })]);
  expect(failed[0]?.error).toContain('bytes');
  for (const deleted of [[], ['--deleted']]) {
    const listed = await holdfast(folder, ['sessions', 'list', '--store', to, '--json', ...deleted]);
    expect(listed.stdout).not.toContain('cli_notes');
  }
});

test('a command that changes a session of the older format moves the folder first, as the gateway does', async () => {
  const folder = temporaryFolder();
  const sessions = join(folder, 'data/sessions');
  cpSync(join(fixtures, 'picoclaw-legacy/sessions'), sessions, { recursive: true });
  const renamed = await holdfast(folder, ['sessions', 'rename', 'telegram:123456', 'A visitor', '--json']);
  expect(JSON.parse(renamed.stdout).session).toMatchObject({ title: 'A visitor', message_count: 3 });
  expect(readdirSync(sessions).filter((name) => name.endsWith('.json.migrated'))).toHaveLength(4);
});

test('a folder that is the store itself has its older files moved and renamed', async () => {
  const folder = temporaryFolder();
  const sessions = join(folder, 'data/sessions');
  mkdirSync(sessions, { recursive: true });
  cpSync(join(fixtures, 'picoclaw-legacy/sessions'), sessions, { recursive: true });
  const { stdout } = await holdfast(folder, ['migrate', '--from', 'picoclaw', sessions]);
  expect(stdout).toContain('3 copied, 0 present');
  expect(readdirSync(sessions).filter((name) => name.endsWith('.json.migrated'))).toHaveLength(4);
  const again = await holdfast(folder, ['migrate', '--from', 'picoclaw', sessions]);
  expect(again.stdout).toContain('0 copied, 0 present');
});

test('an export is taken back as it was, and a copy of a copy exports the same', async () => {
  const { folder, store } = picoclaw();
  const database = `sqlite:${join(folder, 'copy.db')}`;
  const back = `jsonl:${join(folder, 'back')}`;
  const out = await holdfast(folder, ['sessions', 'export', '--store', store]);
  expect(out.stdout.trimEnd().split('\n')).toHaveLength(expected.sessions.length + TOTAL);

  const copied = await holdfast(folder, ['sessions', 'copy', '--from', store, '--to', database, '--json']);
  expect(JSON.parse(copied.stdout).sessions).toHaveLength(expected.sessions.length);
  const second = await holdfast(folder, ['sessions', 'copy', '--from', database, '--to', back]);
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('10 copied, 0 present') });
  const third = await holdfast(folder, ['sessions', 'copy', '--from', database, '--to', back]);
  expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('0 copied, 10 present') });
  for (const copy of [database, back]) {
    expect((await holdfast(folder, ['sessions', 'export', '--store', copy])).stdout).toBe(out.stdout);
  }

  const one = join(folder, 'one.jsonl');
  const alias = 'agent:main:slack:channel:c001';
  await holdfast(folder, ['sessions', 'export', alias, '--store', back, '--output', one]);
  expect(readdirSync(folder)).not.toContain('one.jsonl.part');
  const taken = await holdfast(folder, ['sessions', 'import', one, '--json']);
  expect(JSON.parse(taken.stdout)).toEqual({ sessions: 1, messages: 2, skipped_messages: 0, refused: [] });
  const twice = await holdfast(folder, ['sessions', 'import', '--json'], {
    input: readFileSync(one, 'utf8'),
  });
  expect(JSON.parse(twice.stdout)).toMatchObject({ messages: 0, skipped_messages: 2 });
  expect(
    JSON.parse((await holdfast(folder, ['sessions', 'show', SLACK, '--json'])).stdout).messages[0],
  ).toMatchObject({
    content: 'one',
  });
});

test('a copy leaves what has gone on since, and says what it cannot take', async () => {
  const { folder, store } = picoclaw();
  const to = `jsonl:${join(folder, 'new')}`;
  await holdfast(folder, ['sessions', 'copy', '--from', store, '--to', to]);
  await holdfast(folder, ['sessions', 'delete', 'cli_notes', '--yes', '--store', to]);
  // Both sides have gone on: neither is the other's beginning.
  appendFileSync(
    join(folder, 'picoclaw/sessions/agent_main_direct_a_b.jsonl'),
    '{"role":"user","content":"theirs"}\n',
  );
  writeFileSync(
    join(folder, 'ours.jsonl'),
    (await holdfast(folder, ['sessions', 'export', 'agent:main:direct:a_b', '--store', store])).stdout
      .replace('theirs', 'ours')
      .replace('line-2', 'ours-2'),
  );
  await holdfast(folder, ['sessions', 'import', 'ours.jsonl', '--store', to]);
  const again = await holdfast(folder, ['sessions', 'copy', '--from', store, '--to', to, '--json']);
  expect(again.code).toBe(1);
  const report: { sessions: { key: string; status: string; error?: string }[] } = JSON.parse(again.stdout);
  const statusOf = (key: string) => report.sessions.find((session) => session.key === key);
  expect(statusOf('cli_notes')).toMatchObject({ status: 'newer' });
  expect(statusOf('agent:main:direct:a_b')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('differs'),
  });
  expect(statusOf('agent:main:main')).toMatchObject({ status: 'present' });
  const shown = await holdfast(folder, [
    'sessions',
    'show',
    'agent:main:direct:a_b',
    '--store',
    to,
    '--json',
  ]);
  expect(JSON.parse(shown.stdout).messages.map(({ content }: { content: string }) => content)).toEqual([
    'I am a_b',
    'ours',
  ]);
});

test('a wrong line of an import is named, and what came before it is whole', async () => {
  const { folder, store } = picoclaw();
  const lines = (await holdfast(folder, ['sessions', 'export', '--store', store])).stdout
    .trimEnd()
    .split('\n');
  for (const [wrong, words] of [
    ['not json', 'Line 3 of the import is not JSON'],
    ['{"type":"message","key":"x","message":{"role":"robot"}}', 'entries[2].message'],
    ['{"type":"session","session":{"key":"x"}}', 'entries[2].session'],
  ]) {
    const into = join(folder, `into-${words?.length}-${wrong?.length}`);
    const input = [...lines.slice(0, 2), wrong, ...lines.slice(2)].join('\n');
    const { code, stdout, stderr } = await holdfast(
      folder,
      ['sessions', 'import', '--store', `jsonl:${into}`],
      { input },
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
  }
});

test('an export with separators of JavaScript inside its texts is taken back', async () => {
  const folder = temporaryFolder();
  await holdfast(folder, ['chat', '--session', 'odd', 'one\u2028two\u2029three\u0085four']);
  const out = await holdfast(folder, ['sessions', 'export']);
  const to = `jsonl:${join(folder, 'other')}`;
  expect(await holdfast(folder, ['sessions', 'import', '--store', to], { input: out.stdout })).toMatchObject({
    code: 0,
  });
  expect((await holdfast(folder, ['sessions', 'export', '--store', to])).stdout).toBe(out.stdout);
});
