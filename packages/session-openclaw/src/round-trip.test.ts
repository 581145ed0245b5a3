import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';
import { createSqliteBackend } from '@x/session-sqlite';
import { createMemoryBackend, type SessionBackend } from '@x/session-store';
import { expect, test } from 'vitest';
import { type FixtureName, fixtureFolder, temporaryFolder } from '../test/folders.js';
import { createOpenclawBackend, writeOpenclawFolder } from './index.js';

const stores: Readonly<Record<string, (folder: string) => Promise<SessionBackend>>> = {
  memory: async () => createMemoryBackend(),
  jsonl: (folder) => createJsonlBackend({ directory: join(folder, 'jsonl') }),
  sqlite: (folder) => createSqliteBackend({ file: join(folder, 'sessions.sqlite') }),
};

async function exportOf(backend: SessionBackend): Promise<string> {
  const lines: string[] = [];
  for await (const entry of backend.export()) lines.push(JSON.stringify(entry));
  return lines.join('\n');
}

/** The files of all agents' sessions, but for those that were never a session's. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const agents = join(folder, 'agents');
  return Object.fromEntries(
    readdirSync(agents).flatMap((agent) =>
      readdirSync(join(agents, agent, 'sessions'))
        .filter((name) => !/\.(?:lock|tmp)$|\.bak\.|checkpoint|trajectory/.test(name))
        .map((name) => [`${agent}/${name}`, readFileSync(join(agents, agent, 'sessions', name), 'base64')]),
    ),
  );
}

async function imported(name: FixtureName, store: string, orphans: boolean) {
  const directory = fixtureFolder(name);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'jsonl'));
  const source = await createOpenclawBackend({ directory, orphans });
  const backend = await stores[store]?.(folder);
  if (backend === undefined) throw new Error(`There is no store ${store}.`);
  const report = await backend.import(source.export());
  return { directory, source, backend, report };
}

const everyStore = Object.keys(stores);

test.each(everyStore)('what is imported into %s reads there as it was', async (store) => {
  for (const name of ['openclaw', 'openclaw-full', 'openclaw-sqlite'] as const) {
    const { source, backend, report } = await imported(name, store, true);
    expect(report.refused).toEqual([]);
    expect(await exportOf(backend)).toBe(await exportOf(source));
    const again = await backend.import(source.export());
    expect(again.messages).toBe(0);
    await Promise.all([source.close(), backend.close()]);
  }
});

test.each(everyStore)('goes from %s back byte for byte', async (store) => {
  const { directory, source, backend } = await imported('openclaw', store, true);
  const target = temporaryFolder();
  const outcomes = await writeOpenclawFolder(target, backend.export());
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'copied'));
  const { 'main/sessions.json': index = '', ...files } = filesOf(target);
  const { 'main/sessions.json': original = '', ...originals } = filesOf(directory);
  expect(files).toEqual(originals);
  const entries = JSON.parse(Buffer.from(index, 'base64').toString());
  const recovered = 'agent:main:recovered:00000007-1111-4222-8333-444444444447';
  expect(Object.keys(entries)).toContain(recovered);
  delete entries[recovered];
  expect(JSON.stringify(entries, null, 2)).toBe(Buffer.from(original, 'base64').toString());
  const again = await writeOpenclawFolder(target, backend.export());
  expect(again.map(({ status }) => status)).toEqual(again.map(() => 'present'));
  await Promise.all([source.close(), backend.close()]);
});

test('without orphans the index is the same text, and another export changes nothing', async () => {
  const { directory, source, backend } = await imported('openclaw', 'memory', false);
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  expect(filesOf(target)['main/sessions.json']).toBe(filesOf(directory)['main/sessions.json']);
  await Promise.all([source.close(), backend.close()]);
});

test('a larger folder comes back too: damage, old versions, shared and merged entries', async () => {
  const { directory, source, backend } = await imported('openclaw-full', 'jsonl', false);
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const originals = filesOf(directory);
  for (const [name, bytes] of Object.entries(filesOf(target))) {
    if (name !== 'main/sessions.json') expect([name, bytes]).toEqual([name, originals[name]]);
  }
  const entriesIn = (folder: string) =>
    JSON.parse(readFileSync(join(folder, 'agents/main/sessions/sessions.json'), 'utf8'));
  const {
    'agent:main:telegram:direct:broken-null': _null,
    'agent:main:telegram:direct:no-session-id': _none,
    ...wanted
  } = entriesIn(directory);
  expect(JSON.stringify(entriesIn(target))).toBe(JSON.stringify(wanted));
  const back = await createOpenclawBackend({ directory: target });
  // Two entries before the last were left out, so it stands at another place.
  const withoutPlaces = async (each: SessionBackend) =>
    (await exportOf(each)).replaceAll(/"position":\d+/g, '"position":0');
  expect(await withoutPlaces(back)).toBe(await withoutPlaces(source));
  await Promise.all([source.close(), backend.close(), back.close()]);
});
