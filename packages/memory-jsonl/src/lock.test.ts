import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StoreLocked } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend } from './index.js';

const holderScript = join(import.meta.dirname, '../test/lock-holder.mjs');

async function holdIn(directory: string) {
  const child = spawn(process.execPath, [holderScript, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    async kill() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('the lock of a folder', () => {
  it('keeps a second process out and says who has it, lets readers in, and ends with its holder', async () => {
    const directory = await tempFolder();
    const holder = await holdIn(directory);
    try {
      const refused = await createJsonlBackend({ directory }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreLocked);
      const { message, path } = refused as StoreLocked;
      expect(message).toContain(String(holder.pid));
      expect(message).toContain(hostname());
      expect(message).toMatch(/since \d{4}-/);
      expect(path).toBe(join(directory, '.holdfast/lock'));

      const reader = await createJsonlBackend({ directory, readOnly: true });
      expect(await reader.read('s')).toMatchObject([{ content: 'from the holder' }]);
      await expect(reader.append('s', [{ role: 'user', content: 'no' }])).rejects.toMatchObject({
        code: 'Unsupported',
      });
      await reader.close();
    } finally {
      await holder.kill();
    }
    const next = await createJsonlBackend({ directory });
    expect(await next.read('s')).toMatchObject([{ content: 'from the holder' }]);
    await next.close();
  });

  it('keeps a second store of the same process out', async () => {
    const directory = await tempFolder();
    const store = await createJsonlBackend({ directory });
    await expect(createJsonlBackend({ directory })).rejects.toBeInstanceOf(StoreLocked);
    await store.close();
    await (await createJsonlBackend({ directory })).close();
  });

  it.runIf(process.platform === 'linux')(
    'is not kept by a process that happens to have the pid of a dead holder',
    async () => {
      const directory = await tempFolder();
      await (await createJsonlBackend({ directory })).close();
      const dead = {
        pid: process.pid,
        host: hostname(),
        started: '1',
        since: '2026-01-01T00:00:00.000Z',
        token: 'dead',
      };
      await writeFile(join(directory, '.holdfast/lock'), JSON.stringify(dead));
      const store = await createJsonlBackend({ directory });
      expect(await readFile(join(directory, '.holdfast/lock'), 'utf8')).not.toContain('dead');
      await store.close();
    },
  );

  it('whose body nobody can read is pushed aside by nobody, and the message says what to remove', async () => {
    const directory = await tempFolder();
    await (await createJsonlBackend({ directory })).close();
    await writeFile(join(directory, '.holdfast/lock'), '{"pid": 12');
    await expect(createJsonlBackend({ directory })).rejects.toThrow(/in use by process 0 on unknown.*remove/);
    await rm(join(directory, '.holdfast/lock'));
    await (await createJsonlBackend({ directory })).close();
  });

  it('of a dead process goes to one of two processes that race for it', async () => {
    const directory = await tempFolder();
    const dead = await holdIn(directory);
    await dead.kill();
    const racers = [0, 1, 2].map(() =>
      spawn(process.execPath, [holderScript, directory], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const ended = racers.map(async (racer) => {
      const [code] = await once(racer, 'close');
      return code as number | null;
    });
    const first = await Promise.race(
      racers.map(async (racer) => {
        await once(racer.stdout, 'data');
        return racer;
      }),
    );
    const others = await Promise.all(ended.filter((_, index) => racers[index] !== first));
    expect(others).toEqual([1, 1]);
    first.kill('SIGKILL');
    await Promise.all(ended);
  });

  it('of another machine is believed', async () => {
    const directory = await tempFolder();
    await (await createJsonlBackend({ directory })).close();
    const far = { pid: 1, host: 'far-away', started: '', since: '2026-01-01T00:00:00.000Z', token: 'far' };
    await writeFile(join(directory, '.holdfast/lock'), JSON.stringify(far));
    await expect(createJsonlBackend({ directory })).rejects.toThrow(
      /process 1 on far-away, since 2026-01-01/,
    );
  });

  it('goes to one of many that come for a dead one at once', async () => {
    const directory = await tempFolder();
    await (await createJsonlBackend({ directory })).close();
    const dead = {
      pid: 2 ** 22 + 1,
      host: hostname(),
      started: '1',
      since: '2026-01-01T00:00:00.000Z',
      token: 'dead',
    };
    await writeFile(join(directory, '.holdfast/lock'), JSON.stringify(dead));
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => createJsonlBackend({ directory })),
    );
    const open = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(open).toHaveLength(1);
    for (const store of open) await store.close();
  });
});
