import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageText, Unsupported } from '@x/session-store';
import { expect, onTestFinished, test } from 'vitest';
import { fixtureFolder, temporaryFolder } from '../test/folders.js';
import { createOpenclawBackend, updateIndex, writeOpenclawFolder } from './index.js';

const group = 'agent:main:telegram:group:-1001234567890';

async function watched() {
  const directory = fixtureFolder('openclaw');
  const sessions = join(directory, 'agents/main/sessions');
  const backend = await createOpenclawBackend({ directory });
  onTestFinished(() => backend.close());
  const said = (id: string, parentId: string | null, text: string) =>
    `${JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content: text } })}\n`;
  return { backend, sessions, index: join(sessions, 'sessions.json'), said };
}

test('every call sees what is there now: new messages, new sessions, renamed ones, resets', async () => {
  const { backend, sessions, index, said } = await watched();
  const texts = async (key: string) => (await backend.read(key, { segment: 'all' })).map(messageText);
  expect(await texts(group)).toHaveLength(3);
  const path = join(sessions, '00000002-1111-4222-8333-444444444442.jsonl');
  for (const number of [4, 5]) {
    appendFileSync(path, said(`m${number}`, number === 4 ? '20000004' : 'm4', `line ${number}`));
    expect((await texts(group)).at(-1)).toBe(`line ${number}`);
    expect((await backend.meta(group))?.messageCount).toBe(number);
  }
  writeFileSync(join(sessions, 'new.jsonl'), said('1', null, 'first words'));
  await updateIndex(
    index,
    (entries) =>
      entries.set('agent:main:direct:new', { sessionId: 'new', updatedAt: 1_772_000_000_500 }) !== undefined,
  );
  expect(await texts('agent:main:direct:new')).toEqual(['first words']);
  expect((await backend.list()).sessions).toHaveLength(8);
  // As OpenClaw resets: the old transcript is renamed, the entry has another id and remembers the old one.
  renameSync(join(sessions, 'new.jsonl'), join(sessions, 'new.jsonl.reset.2026-02-26T10-00-00.000Z'));
  writeFileSync(join(sessions, 'newer.jsonl'), said('1', null, 'anew'));
  await updateIndex(
    index,
    (entries) =>
      entries.set('agent:main:direct:new', {
        sessionId: 'newer',
        usageFamilySessionIds: ['new', 'newer'],
        updatedAt: 1_772_000_000_600,
      }) !== undefined,
  );
  expect(await texts('agent:main:direct:new')).toEqual(['first words', 'anew']);
  expect((await backend.read('agent:main:direct:new')).map(messageText)).toEqual(['anew']);
  await updateIndex(index, (entries) => entries.delete('agent:main:direct:new'));
  expect(await backend.meta('agent:main:direct:new')).toBeUndefined();
});

test('pages, limits and the tail are those of the contract', async () => {
  const { backend } = await watched();
  const read = async (range: object) =>
    (await backend.read('agent:main:main', { segment: 'all', ...range })).map(({ seq }) => seq);
  expect(await read({ limit: 2 })).toEqual([1, 2]);
  expect(await read({ limit: 2, order: 'desc' })).toEqual([6, 5]);
  expect(await read({ after: 2, before: 5 })).toEqual([3, 4]);
  expect(await read({ limit: 0, order: 'desc' })).toEqual([]);
  const first = await backend.list({ limit: 3 });
  const second = await backend.list({ limit: 10 }, first.nextCursor);
  expect(new Set([...first.sessions, ...second.sessions].map(({ key }) => key)).size).toBe(7);
  expect((await backend.list({ channel: 'telegram' })).sessions).toHaveLength(4);
  expect((await backend.list({ text: 'writ' })).sessions.map(({ key }) => key)).toEqual([group]);
});

test('every write is refused, and names that are known are resolved', async () => {
  const { backend, index } = await watched();
  const before = readFileSync(index, 'utf8');
  await expect(backend.append(group, [{ role: 'user', content: 'x' }])).rejects.toThrow(Unsupported);
  await expect(backend.rename(group, 'x')).rejects.toThrow(Unsupported);
  await expect(backend.ensure('agent:main:direct:none')).rejects.toThrow(Unsupported);
  await expect(backend.reset(group)).rejects.toThrow(Unsupported);
  await expect(backend.delete(group)).rejects.toThrow(Unsupported);
  expect((await backend.ensure(group)).created).toBe(false);
  await expect(backend.search('x')).rejects.toThrow(Unsupported);
  expect(await backend.resolve('AGENT:MAIN:MAIN')).toBe('agent:main:main');
  expect(await backend.resolve('agent:main:direct:none')).toBeUndefined();
  expect(readFileSync(index, 'utf8')).toBe(before);
});

test('older spellings lead to the session, two agents keep their own, and a backup stands in for a lost index', async () => {
  const root = temporaryFolder();
  const entry = (sessionId: string, updatedAt = 1_772_000_000_000) => ({ sessionId, updatedAt });
  const indexes = {
    main: { 'agent:main:telegram:dm:5': entry('d'), 'cron:x': entry('x'), global: entry('g') },
    ops: {
      main: entry('m'),
      'telegram:group:1': entry('t'),
      'agent:ops:hook:h': entry('h'),
      'cron:x': entry('x'),
      global: entry('g'),
      'agent:main:telegram:direct:5': entry('stray'),
    },
  };
  for (const [agent, index] of Object.entries(indexes)) {
    const sessions = join(root, 'agents', agent, 'sessions');
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, 'sessions.json'), agent === 'ops' ? '' : JSON.stringify(index));
    if (agent === 'ops') {
      writeFileSync(join(sessions, 'sessions.json.bak.2'), JSON.stringify(index));
      writeFileSync(join(sessions, 'sessions.json.bak.1'), '{}');
    }
  }
  const codes: string[] = [];
  const backend = await createOpenclawBackend({ directory: root, onFinding: ({ code }) => codes.push(code) });
  onTestFinished(() => backend.close());
  const keys = (await backend.list({ limit: 100 })).sessions.map(({ key }) => key).sort();
  expect(keys).toEqual([
    'agent:main:telegram:direct:5',
    'agent:ops:cron:x',
    'agent:ops:global',
    'agent:ops:hook:h',
    'agent:ops:main',
    'agent:ops:recovered:stray',
    'agent:ops:telegram:group:1',
    'cron:x',
    'global',
  ]);
  expect(await backend.resolve('agent:main:telegram:dm:5')).toBe('agent:main:telegram:direct:5');
  expect(codes).toContain('foreign-key');
  expect(codes).toContain('unreadable-index');
});

test('a main session is that of one person where one says so, and goes back as the main session', async () => {
  const directory = fixtureFolder('openclaw');
  const mainAs = ['agent:main:telegram:dm:77'];
  const backend = await createOpenclawBackend({ directory, mainAs });
  onTestFinished(() => backend.close());
  const key = 'agent:main:telegram:direct:77';
  expect(await backend.read(key)).toHaveLength(2);
  expect(await backend.resolve('agent:main:main')).toBe(key);
  const target = temporaryFolder();
  await writeOpenclawFolder(target, backend.export());
  const sessions = (folder: string) =>
    readFileSync(join(folder, 'agents/main/sessions/sessions.json'), 'utf8');
  expect(sessions(target)).toBe(sessions(directory));
  // Somebody else has that key: both stay what they are.
  const taken = await createOpenclawBackend({ directory, mainAs: ['agent:main:telegram:direct:123456789'] });
  expect((await taken.read('agent:main:main', { segment: 'all' })).length).toBe(6);
  await taken.close();
  for (const wrong of ['agent:main:main', 'telegram:77', 'nonsense'])
    await expect(createOpenclawBackend({ directory, mainAs: [wrong] })).rejects.toThrow(Unsupported);
});

test('times that are none, or lie ahead, are told from the transcript', async () => {
  const { backend, index } = await watched();
  const now = Date.now();
  for (const updatedAt of [null, -5, 'x', Number.MAX_VALUE, now + 10 * 365 * 86_400_000]) {
    await updateIndex(
      index,
      (entries) =>
        entries.set(group, {
          sessionId: '00000002-1111-4222-8333-444444444442',
          updatedAt,
          lastInteractionAt: updatedAt,
        }) !== undefined,
    );
    const meta = await backend.meta(group);
    expect([meta?.updatedAt, meta?.interactionAt]).toEqual([
      '2026-02-25T06:13:20.003Z',
      '2026-02-25T06:13:20.002Z',
    ]);
  }
});

test('ten thousand entries are listed, and listed again at once', async () => {
  const root = temporaryFolder();
  const sessions = join(root, 'agents/main/sessions');
  mkdirSync(sessions, { recursive: true });
  const entries = Array.from({ length: 10_000 }, (_, number) => [
    `agent:main:telegram:direct:${number}`,
    { sessionId: `s${number}`, updatedAt: 1_772_000_000_000 + number },
  ]);
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify(Object.fromEntries(entries)));
  const backend = await createOpenclawBackend({ directory: root });
  onTestFinished(() => backend.close());
  const page = await backend.list({ limit: 1000 });
  expect(page.sessions.map(({ key }) => key).at(0)).toBe('agent:main:telegram:direct:9999');
  expect((await backend.list({ limit: 1000 }, page.nextCursor)).sessions).toHaveLength(1000);
});
