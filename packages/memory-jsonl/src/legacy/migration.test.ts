import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMemoryBackend, type SessionBackend, StoreFailed, StoreLocked } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { codeError, failingDisk } from '../../test/failing-disk.js';
import expected from '../../test/fixtures/picoclaw-legacy/expected.json' with { type: 'json' };
import { tempFolder } from '../../test/folders.js';
import { contentOf, legacyFolder, legacyJson } from '../../test/legacy-folder.js';
import { createJsonlBackend, migrateFromJson, openLegacyBackend, sealMigration } from '../index.js';

const keys = Object.keys(expected.migrated);

async function exported(backend: SessionBackend): Promise<unknown[]> {
  const entries: unknown[] = [];
  for await (const entry of backend.export()) entries.push(entry);
  return entries;
}

/** The store, whose call number `nth` of this kind fails, before it does anything or after it did it. */
function failing(
  backend: SessionBackend,
  name: 'import' | 'meta' | 'read',
  nth: number,
  when: 'before' | 'after',
): SessionBackend {
  let calls = 0;
  return new Proxy(backend, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (property !== name || typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        calls += 1;
        if (calls === nth && when === 'before') throw new StoreFailed('made by the test');
        const result: unknown = await Reflect.apply(value, target, given);
        if (calls === nth) throw new StoreFailed('made by the test');
        return result;
      };
    },
  });
}

describe('a folder of one file a session', () => {
  it('is copied whole, with times and summaries, and what is no session is left and reported', async () => {
    const directory = await legacyFolder();
    const before = await contentOf(directory);
    const backend = createMemoryBackend();
    const migration = await migrateFromJson(directory, backend);
    expect(migration.copied.map(({ key, messages }) => [key, messages]).sort()).toEqual(
      Object.entries(expected.migrated)
        .map(([key, { messages }]) => [key, messages])
        .sort(),
    );
    expect(migration.problems.map(({ file, code }) => [file, code])).toEqual([
      [expected.reported[0], 'unreadable'],
    ]);
    const telegram = await backend.meta('telegram:123456');
    expect(telegram).toMatchObject({
      summary: 'A short visit.',
      createdAt: '2025-11-02T08:00:00.000Z',
      updatedAt: '2025-12-24T18:00:00.000Z',
      activeAt: '2025-12-24T18:00:00.000Z',
      messageCount: 3,
      activeCount: 3,
    });
    expect((await backend.read('agent:main:direct:user9')).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
    expect(await contentOf(directory)).toEqual(before);
  });

  it('is renamed once all of it is there, and a second run changes nothing', async () => {
    const directory = await legacyFolder();
    const backend = await createJsonlBackend({ directory });
    const migration = await migrateFromJson(directory, backend);
    expect(await sealMigration(directory, migration)).toMatchObject({ sealed: { length: 3 }, unsealed: [] });
    const names = await readdir(directory);
    for (const { file } of migration.copied) {
      expect(names).toContain(`${file}.migrated`);
      expect(names).not.toContain(file);
    }
    for (const name of expected.untouched) expect(names).toContain(name);

    const entries = await exported(backend);
    for (let round = 0; round < 3; round += 1) {
      const again = await migrateFromJson(directory, backend);
      expect(again).toMatchObject({ copied: [], present: [], problems: { length: 1 } });
      expect(await sealMigration(directory, again)).toEqual({ sealed: [], unsealed: [] });
      expect(await exported(backend)).toEqual(entries);
    }
    expect((await readdir(directory)).sort()).toEqual(names.sort());
    await backend.close();
  });

  it('may be copied again and again without being renamed, also after the sessions have gone on', async () => {
    const directory = await legacyFolder();
    const backend = createMemoryBackend();
    await migrateFromJson(directory, backend);
    await backend.append('nokey', [{ role: 'user', content: 'newer' }]);
    await backend.delete('telegram:123456');
    const entries = await exported(backend);
    const again = await migrateFromJson(directory, backend);
    expect(again.copied).toEqual([]);
    expect(again.present).toHaveLength(3);
    expect(await exported(backend)).toEqual(entries);
  });

  it('takes nothing of the store itself for an older session', async () => {
    const directory = await tempFolder();
    const backend = await createJsonlBackend({ directory });
    for (const key of ['one', 'two']) {
      await backend.ensure(key, { aliases: [`alias-${key}`] });
      await backend.append(key, [{ role: 'user', content: `of ${key}` }]);
      await backend.setSummary(key, `about ${key}`);
    }
    await writeFile(join(directory, 'config.json'), '{"gateway": {}}');
    const entries = await exported(backend);
    for (let round = 0; round < 3; round += 1) {
      const migration = await migrateFromJson(directory, backend);
      expect(migration).toEqual({ copied: [], present: [], problems: [] });
      await sealMigration(directory, migration);
    }
    expect(await exported(backend)).toEqual(entries);
    expect(await readFile(join(directory, 'config.json'), 'utf8')).toBe('{"gateway": {}}');
    await backend.close();
  });
});

describe('a migration that fails', () => {
  const points = (['import', 'read', 'meta'] as const).flatMap((call) =>
    (['before', 'after'] as const).flatMap((when) => [1, 2, 3].map((nth) => ({ call, when, nth }))),
  );

  it.each(points)('$when $call number $nth leaves the store and the folder as they were', async (point) => {
    const directory = await legacyFolder();
    const before = await contentOf(directory);
    const backend = createMemoryBackend();
    await backend.ensure('elsewhere');
    const entries = await exported(backend);
    const broken = failing(backend, point.call, point.nth, point.when);
    await expect(migrateFromJson(directory, broken)).rejects.toThrow('made by the test');
    expect(await exported(backend)).toEqual(entries);
    expect(await contentOf(directory)).toEqual(before);

    const migration = await migrateFromJson(directory, backend);
    expect(migration.copied.map(({ key }) => key).sort()).toEqual([...keys].sort());
  });

  it('and cannot even take back what it copied is finished by the next run, from newer files too', async () => {
    const directory = await tempFolder();
    for (const name of ['a', 'b', 'c']) {
      await writeFile(join(directory, `${name}.json`), legacyJson(undefined, ['one', 'two']));
    }
    const backend = createMemoryBackend();
    const dead = new Proxy(failing(backend, 'import', 3, 'before'), {
      get: (target, name) =>
        name === 'purge' ? () => Promise.reject(new StoreFailed('dead')) : Reflect.get(target, name),
    });
    await expect(migrateFromJson(directory, dead)).rejects.toThrow('made by the test');
    // The old files went on without the store, and one of them was cut.
    await writeFile(join(directory, 'a.json'), legacyJson(undefined, ['two', 'three', 'four']));
    await writeFile(join(directory, 'b.json'), legacyJson(undefined, ['two']));

    const migration = await migrateFromJson(directory, backend);
    expect(migration.problems).toEqual([]);
    expect((await backend.read('a')).map(({ content }) => content)).toEqual(['two', 'three', 'four']);
    expect((await backend.read('b')).map(({ content }) => content)).toEqual(['two']);
  });
});

describe('what is there already', () => {
  it('is not written over by a file of another history', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 'a.json'), legacyJson('k', ['other']));
    const backend = createMemoryBackend();
    await backend.ensure('k');
    await backend.append('k', [{ role: 'user', content: 'mine' }]);
    const entries = await exported(backend);
    const migration = await migrateFromJson(directory, backend);
    expect(migration).toMatchObject({
      copied: [],
      problems: [{ file: 'a.json', code: 'conflict', key: 'k' }],
    });
    await sealMigration(directory, migration);
    expect(await exported(backend)).toEqual(entries);
    expect(await readdir(directory)).toEqual(['a.json']);
  });

  it('is known where another program has moved the file before and could not rename it', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 'a.json'), legacyJson('k', ['one', 'two']));
    const backend = createMemoryBackend();
    await backend.ensure('k');
    await backend.append(
      'k',
      ['one', 'two', 'three'].map((content) => ({ role: 'user', content })),
    );
    const migration = await migrateFromJson(directory, backend);
    expect(migration).toMatchObject({ copied: [], present: [{ file: 'a.json' }], problems: [] });
    expect(await backend.read('k')).toHaveLength(3);
  });

  it('is taken from one of two files that hold it, and the other is reported', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 'a.json'), legacyJson('k', ['one']));
    await writeFile(join(directory, 'k.json'), legacyJson(undefined, ['another']));
    const migration = await migrateFromJson(directory, createMemoryBackend());
    expect(migration.copied).toMatchObject([{ file: 'a.json', key: 'k' }]);
    expect(migration.problems).toMatchObject([{ file: 'k.json', code: 'duplicate' }]);
  });

  it('is refused session by session, where only that session is wrong', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 'a.json'), legacyJson('x'.repeat(2000), ['one']));
    await writeFile(join(directory, 'b.json'), legacyJson('large', ['one', 'x'.repeat(2000)]));
    await writeFile(join(directory, 'c.json'), legacyJson('good', ['one']));
    await writeFile(join(directory, 'd.json'), '{"key": "odd", "messages": [{"role": "user"}, 7]}');
    await writeFile(join(directory, 'e.json'), '{"key": "empty", "messages": null}');
    const backend = createMemoryBackend({ maxMessageBytes: 1000 });
    const migration = await migrateFromJson(directory, backend);
    expect(migration.copied.map(({ key }) => key)).toEqual(['good', 'empty']);
    expect(migration.problems.map(({ file, code }) => [file, code])).toEqual([
      ['a.json', 'refused'],
      ['b.json', 'refused'],
      ['d.json', 'unreadable'],
    ]);
    expect((await exported(backend)).filter((entry) => JSON.stringify(entry).includes('large'))).toEqual([]);
  });
});

describe('sealing', () => {
  it('that cannot rename takes nothing again over newer data, and renames at the next run', async () => {
    const directory = await legacyFolder();
    const backend = await createJsonlBackend({ directory });
    const stuck = failingDisk((call, path) =>
      call === 'rename' && path.includes('.migrated') ? codeError('EBUSY') : undefined,
    );
    const migration = await migrateFromJson(directory, backend);
    expect(await sealMigration(directory, migration, stuck)).toMatchObject({
      sealed: [],
      unsealed: { length: 3 },
    });
    await backend.append('nokey', [{ role: 'user', content: 'newer' }]);
    await backend.delete('telegram:123456');
    await backend.purge('telegram:123456');

    const again = await migrateFromJson(directory, backend);
    expect(again).toMatchObject({ copied: [], present: { length: 3 } });
    expect(await sealMigration(directory, again)).toMatchObject({ sealed: { length: 3 } });
    expect((await backend.read('nokey')).map(({ content }) => content)).toEqual([
      "my key is my file's name",
      'newer',
    ]);
    expect(await backend.meta('telegram:123456')).toBeUndefined();
    await backend.close();
  });

  it('waits for nobody: while a run goes on with the older files, nothing is renamed', async () => {
    const directory = await legacyFolder();
    const running = await openLegacyBackend({ directory });
    const backend = createMemoryBackend();
    const migration = await migrateFromJson(directory, backend);
    await expect(sealMigration(directory, migration)).rejects.toThrow(StoreLocked);
    await running.append('nokey', [{ role: 'user', content: 'said meanwhile' }]);
    await running.close();
    expect((await readdir(directory)).filter((name) => name.endsWith('.migrated'))).toEqual([
      'done.json.migrated',
    ]);
    const again = await migrateFromJson(directory, backend);
    expect(await sealMigration(directory, again)).toMatchObject({ sealed: { length: 3 } });
    expect(await backend.read('nokey')).toHaveLength(2);
  });

  it('renames nothing where it cannot write down what was taken', async () => {
    const directory = await legacyFolder();
    const before = await contentOf(directory);
    await mkdir(join(directory, '.holdfast'));
    const migration = await migrateFromJson(directory, createMemoryBackend());
    for (const call of ['open', 'datasync', 'rename']) {
      const full = failingDisk((name) => (name === call ? codeError('ENOSPC') : undefined));
      await expect(sealMigration(directory, migration, full)).rejects.toThrow('ENOSPC');
    }
    expect(await contentOf(directory)).toEqual(before);
    expect(await readdir(join(directory, '.holdfast'))).toEqual([]);
  });

  it('leaves a file that has changed since, and what was sealed under that name before', async () => {
    const directory = await tempFolder();
    await writeFile(join(directory, 'a.json'), legacyJson(undefined, ['one']));
    await writeFile(join(directory, 'a.json.migrated'), 'older');
    await writeFile(join(directory, 'b.json'), legacyJson(undefined, ['one']));
    const migration = await migrateFromJson(directory, createMemoryBackend());
    await writeFile(join(directory, 'b.json'), legacyJson(undefined, ['one', 'two']));
    expect(await sealMigration(directory, migration)).toMatchObject({
      sealed: ['a.json'],
      unsealed: [{ file: 'b.json', reason: expect.stringContaining('changed') }],
    });
    expect(await readFile(join(directory, 'a.json.migrated'), 'utf8')).toBe('older');
    expect((await readdir(directory)).filter((name) => name.startsWith('a.json.migrated-'))).toHaveLength(1);
  });
});
