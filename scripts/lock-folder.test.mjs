import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLockFolder } from './lock-folder.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quick = { pollMs: 2 };
const module = new URL('./lock-folder.mjs', import.meta.url).href;

function plantLock(owner) {
  mkdirSync(join(folder, 'lock'));
  writeFileSync(join(folder, 'lock/owner.json'), JSON.stringify(owner));
}

describe('withLockFolder', () => {
  it('lets one in at a time and leaves nothing behind', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLockFolder(join(folder, 'lock'), work, quick)));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps processes apart', async () => {
    const script = `
      import { mkdirSync, rmdirSync } from 'node:fs';
      import { withLockFolder } from ${JSON.stringify(module)};
      for (let turn = 0; turn < 15; turn += 1) {
        await withLockFolder('lock', async () => {
          mkdirSync('inside');
          await new Promise((resolve) => setTimeout(resolve, 1));
          rmdirSync('inside');
        }, { pollMs: 1 });
      }`;
    const run = () =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          cwd: folder,
          stdio: 'ignore',
        });
        child.on('close', resolve);
      });
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('frees the lock when the work fails', async () => {
    const failing = withLockFolder(join(folder, 'lock'), () => Promise.reject(new Error('no disk')), quick);
    await expect(failing).rejects.toThrow('no disk');
    expect(await withLockFolder(join(folder, 'lock'), async () => 'done', quick)).toBe('done');
  });

  it('takes over from an owner that has died', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    plantLock({ pid, startedAt: '1', token: 'dead' });
    const all = Array.from({ length: 5 }, () =>
      withLockFolder(join(folder, 'lock'), async () => 'done', quick),
    );
    expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'done'));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'takes over when the number belongs to a later process',
    async () => {
      plantLock({ pid: process.pid, startedAt: '1', token: 'earlier' });
      expect(await withLockFolder(join(folder, 'lock'), async () => 'done', quick)).toBe('done');
    },
  );

  it('tells whom it waits for, once', async () => {
    const waitedFor = [];
    const work = () => new Promise((resolve) => setTimeout(resolve, 20));
    const options = { ...quick, onWait: (pid) => waitedFor.push(pid) };
    await Promise.all([1, 2].map(() => withLockFolder(join(folder, 'lock'), work, options)));
    expect(waitedFor).toEqual([process.pid]);
  });
});
