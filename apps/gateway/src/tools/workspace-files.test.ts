import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { workspaceTools } from './workspace-files.js';

function house() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-workspace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'workspace');
  mkdirSync(root);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const tools = workspaceTools(root);
  async function run(name: string, input: unknown): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(name);
    const place = { sessionKey: 's', turnId: 't', signal: AbortSignal.timeout(10_000) };
    return String(await tool.execute(await tool.inputSchema.parseAsync(input), place));
  }
  return { folder, root, run };
}

it('files are written, listed, read in pieces and replaced', async () => {
  const { run, root } = house();
  expect(await run('list_files', {})).toBe('The workspace is empty.');
  expect(await run('write_file', { path: 'notes/a.md', content: 'äbcdef' })).toBe(
    'Written: notes/a.md (7 bytes).',
  );
  expect(await run('write_file', { path: './notes//a.md', content: '0123456789' })).toBe(
    'Replaced: notes/a.md (10 bytes).',
  );
  expect(await run('list_files', {})).toBe('notes/');
  expect(await run('list_files', { path: 'notes' })).toBe('a.md (10 bytes)');
  expect(await run('read_file', { path: 'notes/a.md', offset: 2, max_characters: 3 })).toBe(
    '234\n[5 more characters: read on with offset 5.]',
  );
  expect(readdirSync(join(root, 'notes'))).toEqual(['a.md']);
});

it.each([
  ['..', '../secret.txt', 'notes/../../secret.txt', 'notes/..', '. .', '.. ', '...', 'a.', 'a '],
  ['/etc/passwd', '~/x', '//server/share', '/'],
  ['..\\secret.txt', 'C:\\x', 'C:x', 'file:stream', 'a\u0000b', 'a\nb'],
])('there is no way out by %j and the like', async (...paths) => {
  const { run, folder } = house();
  for (const path of paths) {
    await expect(run('read_file', { path }), path).rejects.toThrow(
      /outside the workspace|no path in the workspace/,
    );
    await expect(run('write_file', { path, content: 'x' }), path).rejects.toThrow();
    await expect(run('list_files', { path }), path).rejects.toThrow();
  }
  expect(readdirSync(folder).sort()).toEqual(['secret.txt', 'workspace']);
  expect(readdirSync(join(folder, 'workspace'))).toEqual([]);
});

it('there is no way out over links, neither read nor written', async () => {
  const { run, root, folder } = house();
  symlinkSync(folder, join(root, 'up'));
  symlinkSync(join(folder, 'secret.txt'), join(root, 'soft.txt'));
  linkSync(join(folder, 'secret.txt'), join(root, 'hard.txt'));
  for (const path of ['up/secret.txt', 'soft.txt']) {
    await expect(run('read_file', { path }), path).rejects.toThrow('Links are not followed');
    await expect(run('write_file', { path, content: 'x' }), path).rejects.toThrow('Links are not followed');
  }
  await expect(run('write_file', { path: 'up/new/x.txt', content: 'x' })).rejects.toThrow(
    'Links are not followed',
  );
  await expect(run('list_files', { path: 'up' })).rejects.toThrow('Links are not followed');
  await expect(run('read_file', { path: 'hard.txt' })).rejects.toThrow('of the workspace alone');
  await run('write_file', { path: 'hard.txt', content: 'mine' });
  expect(await run('list_files', {})).toBe('hard.txt (4 bytes)');
  expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
});

it('the workspace itself may be a link: the operator made it', async () => {
  const { folder, root } = house();
  symlinkSync(root, join(folder, 'linked'));
  const [, , write] = workspaceTools(join(folder, 'linked'));
  const place = { sessionKey: 's', turnId: 't', signal: AbortSignal.timeout(10_000) };
  expect(await write?.execute({ path: 'a.md', content: 'x' }, place)).toContain('Written');
});

it('folders, giants and what is no text are told, without a path of the machine', async () => {
  const { run, root } = house();
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'binary'), Buffer.from([1, 0, 2]));
  writeFileSync(join(root, 'giant'), Buffer.alloc(1_000_001, 'x'));
  const attempts = [
    run('read_file', { path: 'folder' }),
    run('read_file', { path: 'binary' }),
    run('read_file', { path: 'giant' }),
    run('read_file', { path: 'missing' }),
    run('read_file', { path: 'binary/x' }),
    run('write_file', { path: 'folder', content: 'x' }),
    run('write_file', { path: '', content: 'x' }),
    run('write_file', { path: 'binary/x', content: 'x' }),
    run('list_files', { path: 'missing' }),
  ];
  for (const end of await Promise.allSettled(attempts)) {
    expect(end.status).toBe('rejected');
    if (end.status === 'rejected') expect(String(end.reason)).not.toContain(root);
  }
});

it('whatever a model names, nothing outside changes', async () => {
  const part = fc.constantFrom('..', '.', 'a', 'b', ' ', '~', '\\', 'C:', 'up', 'soft.txt', '');
  const { run, root, folder } = house();
  symlinkSync(folder, join(root, 'up'));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      await run('write_file', { path: parts.join('/'), content: 'x' }).catch(() => {});
      expect(readdirSync(folder).sort()).toEqual(['secret.txt', 'workspace']);
      expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
    }),
  );
});
