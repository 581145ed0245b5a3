import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

async function withSession(): Promise<string> {
  const folder = temporaryFolder();
  await holdfast(folder, ['chat', '--session', 'notes', 'hello']);
  return folder;
}

/** What is done to one session, in an order that leaves each something to do, and what is to be seen of it. */
const STORY: readonly (readonly [readonly string[], object])[] = [
  [['rename', 'NOTES', 'My notes'], { title: 'My notes' }],
  [['archive', 'notes'], { archived: true }],
  [['unarchive', 'notes'], { archived: false }],
  [['reset', 'notes'], { active_count: 0, message_count: 2 }],
  [['clear', 'notes', '--yes'], { message_count: 0 }],
  [['delete', 'notes', '--yes'], { deleted: true }],
  [['restore', 'notes'], { deleted: false, title: 'My notes' }],
];

test('a session is renamed, put away, begun anew, emptied, deleted and brought back by its name', async () => {
  const folder = await withSession();
  for (const [args, expected] of STORY) {
    const { code, stdout, stderr } = await holdfast(folder, ['sessions', ...args, '--json']);
    expect([args, code, stderr]).toEqual([args, 0, '']);
    expect(JSON.parse(stdout)).toEqual({ session: expect.objectContaining(expected) });
  }
  await holdfast(folder, ['sessions', 'delete', 'notes', '--yes']);
  const purged = await holdfast(folder, ['sessions', 'purge', 'My notes', '--yes']);
  expect(purged).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('is gone from the bin for good.'),
  });
  expect((await holdfast(folder, ['sessions', 'list', '--deleted', '--json'])).stdout).toBe('[]\n');
});

test('the same goes through the gateway that has the sessions open, and everybody who looks sees it', async () => {
  const folder = await withSession();
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  const client = clientOf(gateway.url);
  for (const [args, expected] of STORY) {
    // Named by its folder, from elsewhere: the gateway is found all the same.
    const store = ['--store', `jsonl:${join(folder, 'data/sessions')}`];
    const result = await holdfast(temporaryFolder(), ['sessions', ...args, ...store, '--json']);
    expect([args, result.code, result.stderr]).toEqual([args, 0, '']);
    expect(JSON.parse(result.stdout)).toEqual({ session: expect.objectContaining(expected) });
    const deleted = args[0] === 'delete';
    const { sessions } = await client.get(`/api/sessions?archived=true&deleted=${deleted}`);
    expect(sessions[0]).toMatchObject(expected);
  }
  // What the gateway has in hand at the moment is no problem.
  expect((await holdfast(folder, ['doctor'])).code).toBe(0);
  const purge = await holdfast(folder, ['sessions', 'purge', 'notes', '--yes']);
  expect(purge).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('StoreLocked') });
  const taken = await holdfast(folder, ['sessions', 'import'], { input: '' });
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain(`process ${gateway.child.pid}`);
});

test('a gateway that wants a token gets the one that is configured', async () => {
  const folder = await withSession();
  const gateway = await startProgram(folder, { HOLDFAST_TOKEN: 'a-long-secret' });
  onTestFinished(async () => void (await gateway.end()));
  const args = ['sessions', 'rename', 'notes', 'With a token', '--json'];
  const environment = { HOLDFAST_TOKEN: 'a-long-secret' };
  expect((await holdfast(folder, args, { environment })).code).toBe(0);
  const refused = await holdfast(folder, args);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('token') });
});

test('what is taken away is asked for, what is not there is said', async () => {
  const folder = await withSession();
  for (const [args, code, words] of [
    [['delete', 'notes'], 2, '--yes'],
    [['clear', 'notes'], 2, '--yes'],
    [['purge', 'notes', '--yes'], 1, 'Nothing that is deleted'],
    [['restore', 'nobody'], 1, 'Nothing that is deleted'],
    [['archive', 'nobody'], 1, 'No session has the key or name "nobody"'],
    [['rename', 'notes'], 2, 'title'],
    [['reset'], 2, 'key'],
    [['tidy'], 2, 'unknown command'],
    [['search', 'hello'], 1, 'Unsupported'],
    [['search', 'hello', '--limit', 'many'], 2, '--limit'],
  ] as const) {
    const result = await holdfast(folder, ['sessions', ...args]);
    expect([args, result.code, result.stdout]).toEqual([args, code, '']);
    expect(result.stderr).toContain(words);
  }
  const { stdout } = await holdfast(folder, ['sessions', 'show', 'notes', '--json']);
  expect(JSON.parse(stdout).messages).toHaveLength(2);
});
