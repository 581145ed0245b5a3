import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const SESSION_KEYS = [
  'key',
  'title',
  'channel',
  'agent_id',
  'message_count',
  'active_count',
  'summary',
  'aliases',
  'created_at',
  'updated_at',
  'archived',
  'deleted',
];

test('the terminal and the page talk in different sessions of one list', async () => {
  const folder = temporaryFolder();
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  await clientOf(gateway.url).post('/api/chat', { text: 'from the page' });
  const chat = await holdfast(folder, ['chat', 'from', 'the', 'terminal']);
  expect(chat.code).toBe(0);
  expect(chat.stdout).toContain('You said: from the terminal');
  // Read beside the running gateway.
  const listed = await holdfast(folder, ['sessions', 'list', '--json']);
  expect(listed.code).toBe(0);
  const sessions = JSON.parse(listed.stdout);
  expect(sessions.map(({ channel }: { channel: string }) => channel)).toEqual(['cli', 'web']);
  for (const session of sessions) expect(Object.keys(session)).toEqual(SESSION_KEYS);
  expect(sessions[0]).toMatchObject({
    title: null,
    agent_id: 'main',
    message_count: 2,
    archived: false,
    deleted: false,
  });
});

test('without a gateway the terminal is one, and a name given by hand is a session of its own', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'holdfast.config.json'), '{session: {dimensions: ["sender"]}}');
  for (const [session, text] of [
    ['notes', 'the blue key is mine'],
    ['travel', 'what did I say?'],
    ['notes', 'what did I say?'],
  ] as const) {
    const { code, stdout, stderr } = await holdfast(folder, ['chat', '--session', session, text]);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(stderr).toBe('');
    expect(stdout.includes('blue key')).toBe(session === 'notes');
  }
  const listed = JSON.parse((await holdfast(folder, ['sessions', 'list', '--json'])).stdout);
  expect(listed.map(({ title, channel }: { title: string; channel: string }) => [title, channel])).toEqual([
    ['notes', 'cli'],
    ['travel', 'cli'],
  ]);
  const shown = JSON.parse((await holdfast(folder, ['sessions', 'show', 'notes', '--json'])).stdout);
  expect(Object.keys(shown)).toEqual(['session', 'messages']);
  expect(Object.keys(shown.session)).toEqual([...SESSION_KEYS, 'usage']);
  expect(shown.messages[0]).toEqual({
    seq: 1,
    id: expect.any(String),
    role: 'user',
    content: 'the blue key is mine',
    created_at: expect.stringMatching(/Z$/),
  });
});

test('lines of standard input are said one after the other', async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await holdfast(folder, ['chat'], { input: 'first line\n\nwhat did I say?\n' });
  expect(code).toBe(0);
  expect(stdout).toContain('1. first line');
  const failing = await holdfast(folder, ['chat'], { input: '/fail\nafter the failure\n' });
  expect(failing.code).toBe(1);
  expect(failing.stdout).toContain('You said: after the failure');
  expect(failing.stderr).toMatch(/^The model .*\n$|fails/);
});

test('sessions of another folder are read with --store; nothing is created there', async () => {
  const folder = temporaryFolder();
  await holdfast(folder, ['chat', 'hello']);
  const elsewhere = temporaryFolder();
  const store = `jsonl:${join(folder, 'data/sessions')}`;
  const listed = await holdfast(elsewhere, ['sessions', 'list', '--store', store]);
  expect(listed.stdout).toMatch(/^UPDATED +CHANNEL +AGENT +MESSAGES +NAME +KEY\n.* cli +main +2 /);
  expect((await holdfast(elsewhere, ['sessions', 'list', '--json'])).stdout).toBe('[]\n');
  const missing = await holdfast(elsewhere, ['sessions', 'list', '--store', 'jsonl:nowhere']);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  const unknown = await holdfast(elsewhere, ['sessions', 'list', '--store', 'postgres:url']);
  expect(unknown).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('not in this version'),
  });
});

test('wrong use is 2, failure is 1, help is 0, and no stack is shown', async () => {
  const folder = temporaryFolder();
  const uses: [readonly string[], number][] = [
    [['--help'], 0],
    [['chat', '--help'], 0],
    [['--version'], 0],
    [['no-such-command'], 2],
    [['sessions', 'show'], 2],
    [['sessions', 'list', '--no-such-option'], 2],
    [[], 2],
    [['sessions', 'show', 'nobody'], 1],
    [['start', '--config', 'missing.json'], 1],
  ];
  for (const [args, expectedCode] of uses) {
    const { code, stderr, stdout } = await holdfast(folder, args);
    expect([args, code]).toEqual([args, expectedCode]);
    expect(stderr).not.toMatch(/\n\s+at /);
    if (expectedCode !== 0) expect(stdout).toBe('');
  }
});

test('a wrong configuration is refused with one line for each fault, by start and by config check', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'holdfast.config.json');
  writeFileSync(
    file,
    JSON.stringify({
      session: { dimensions: ['chat', 'mood'] },
      agents: {
        list: [{ id: 'main' }],
        dispatch: { rules: [{ name: 'vip', agent: 'ghost', when: { chat: 'group:1' } }] },
      },
      gatway: { port: 1 },
      gateway: { port: 'many' },
      store: 'postgres',
      models: { default: 'gpt' },
    }),
  );
  for (const args of [['config', 'check'], ['start']]) {
    const { code, stdout, stderr } = await holdfast(folder, args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.every((line) => line.startsWith(`${file}: `))).toBe(true);
    const paths = lines.map((line) => line.slice(file.length + 2).split(':')[0]).toSorted();
    expect(paths).toEqual([
      'agents.dispatch.rules[0].agent',
      'gateway.port',
      'gatway',
      'models.default',
      'session.dimensions[1]',
      'store',
    ]);
    expect(stderr).toContain('vip');
  }
  const asJson = await holdfast(folder, ['config', 'check', '--json']);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, problems: { length: 6 } });

  writeFileSync(file, '{ session: { dimensions: ["chat"] }, }');
  expect(await holdfast(folder, ['config', 'check'])).toMatchObject({ code: 0, stdout: '' });
  const schema = JSON.parse((await holdfast(folder, ['config', 'schema'])).stdout);
  expect(schema.properties).toHaveProperty('gateway');
  expect(JSON.stringify(schema)).toContain('identity_links');
});

test('what a person wrote cannot command the terminal of whoever reads it', async () => {
  const folder = temporaryFolder();
  const said = await holdfast(folder, ['chat', '--session', 'sly', 'wipe \u001b[2J\u009b2J this']);
  const shown = await holdfast(folder, ['sessions', 'show', 'sly']);
  const kept = await holdfast(folder, ['sessions', 'show', 'sly', '--json']);
  for (const { stdout } of [said, shown]) {
    expect(stdout).toContain('wipe \uFFFD[2J\uFFFD2J this');
    expect(stdout.trimEnd()).not.toMatch(/[^\P{Cc}\n]/u);
  }
  expect(JSON.parse(kept.stdout).messages[0].content).toBe('wipe \u001b[2J\u009b2J this');
});
