import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mainSessionKey } from '@x/session-scope';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';

async function picoclawSession(
  directory: string,
  key: string,
  createdAt: string,
  aliases: readonly string[],
) {
  const name = key.replaceAll(':', '_');
  const meta = { key, summary: '', skip: 0, count: 1, created_at: createdAt, updated_at: createdAt, aliases };
  await writeFile(join(directory, `${name}.meta.json`), JSON.stringify(meta));
  await writeFile(join(directory, `${name}.jsonl`), `${JSON.stringify({ role: 'user', content: key })}\n`);
}

describe('an alias that two sessions list on disk', () => {
  it('leads to the one created first, is reported, and goes to the next when that is gone', async () => {
    const directory = await tempFolder();
    await picoclawSession(directory, 'sk_v1_later', '2026-02-01T00:00:00Z', [
      'agent:main:direct:7',
      'agent:main:main',
    ]);
    await picoclawSession(directory, 'sk_v1_first', '2026-01-01T00:00:00Z', [
      'agent:main:direct:7',
      'agent:main:main',
    ]);
    const findings: Finding[] = [];
    const open = () => createJsonlBackend({ directory, onFinding: (finding) => findings.push(finding) });
    let store = await open();
    expect(await store.resolve('agent:main:direct:7')).toBe('sk_v1_first');
    expect(await store.resolve('agent:main:main')).toBeUndefined();
    expect(findings.map(({ code, key }) => [code, key])).toEqual([['alias-conflict', 'sk_v1_first']]);
    expect(findings[0]?.message).toContain('agent:main:direct:7');

    await store.ensure(mainSessionKey('main'), { aliases: ['agent:main:main'] });
    expect(await store.resolve('agent:main:main')).toBe(mainSessionKey('main'));
    await store.delete('sk_v1_first');
    await store.purge('sk_v1_first');
    expect(await store.resolve('agent:main:direct:7')).toBe('sk_v1_later');
    await store.close();
    store = await open();
    expect(await store.resolve('agent:main:direct:7')).toBe('sk_v1_later');
    expect(await store.resolve('agent:main:main')).toBe(mainSessionKey('main'));
    await store.close();
  });

  it('stays with whom it was given to, even where the other session is older', async () => {
    const directory = await tempFolder();
    const store = await createJsonlBackend({ directory });
    await store.ensure('owner', { aliases: ['agent:main:direct:7'] });
    const older = {
      ...((await store.meta('owner')) ?? { aliases: [] }),
      key: 'older',
      createdAt: '2020-01-01T00:00:00.000Z',
    };
    const report = await store.import([{ type: 'session', session: older as never }]);
    expect(report.refused).toMatchObject([{ key: 'older', owner: 'owner' }]);
    expect(await store.resolve('agent:main:direct:7')).toBe('owner');
    await store.close();
    const again = await createJsonlBackend({ directory });
    expect(await again.resolve('agent:main:direct:7')).toBe('owner');
    await again.close();
  });
});
