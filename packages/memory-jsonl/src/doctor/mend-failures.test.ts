import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { codeError, failingDisk } from '../../test/failing-disk.js';
import expected from '../../test/fixtures/picoclaw/expected.json' with { type: 'json' };
import { tempFolder } from '../../test/folders.js';
import { createJsonlBackend, inspectJsonl } from '../index.js';
import { mendJsonl } from './mend.js';

const fixture = join(import.meta.dirname, '../../test/fixtures/picoclaw/sessions');

async function seen(directory: string): Promise<unknown> {
  const store = await createJsonlBackend({ directory, readOnly: true });
  const sessions: unknown[] = [];
  for (const { key } of expected.sessions)
    sessions.push([key, await store.read(key), (await store.read(key, { segment: 'all' })).length]);
  await store.close();
  return sessions;
}

it.each(['rename', 'datasync', 'open', 'unlink'])(
  'a repair whose n-th %s fails has lost nothing, and the next one ends it',
  async (call) => {
    for (let nth = 1, failed = true; failed; nth += 1) {
      const directory = await tempFolder();
      await cp(fixture, directory, { recursive: true });
      const before = await seen(directory);
      let calls = 0;
      const disk = failingDisk((name, path) => {
        // A lock that cannot be given back is free as soon as this process is gone.
        if (name !== call || basename(path).startsWith('lock')) return undefined;
        calls += 1;
        return calls === nth ? codeError('EIO') : undefined;
      });
      failed = await mendJsonl(directory, {}, disk).then(
        () => calls >= nth,
        () => true,
      );
      expect(await seen(directory)).toEqual(before);
      expect((await mendJsonl(directory)).left).toEqual([]);
      expect(await seen(directory)).toEqual(before);
      expect(await inspectJsonl(directory).next()).toMatchObject({ done: true });
    }
  },
);
