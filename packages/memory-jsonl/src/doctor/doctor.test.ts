import { cp, mkdir, readdir, readFile, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { StoreFailed, StoreLocked } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import expected from '../../test/fixtures/picoclaw/expected.json' with { type: 'json' };
import { picoclawView, tempFolder } from '../../test/folders.js';
import { legacyFolder, legacyJson } from '../../test/legacy-folder.js';
import {
  createJsonlBackend,
  type FolderCounts,
  type FolderProblem,
  inspectJsonl,
  mendJsonl,
} from '../index.js';
import { encodeRecord } from '../journal-record.js';

const fixture = join(import.meta.dirname, '../../test/fixtures/picoclaw/sessions');
const forum = 'sk_v1_5452a9991e9a564b5c4c51cf6fbcfbc757980aba90673a2404d2b2f456a43467';
const slack = 'sk_v1_cc8430454f012a0e85f524edabb9fb846a3f5d848b1fc77382833f3d89076841';
const discord = 'sk_v1_657f03ff304355ca45d464f8956f56f92a49b9c42d5bc5731dcab1561f361411';
const slackLast = expected.sessions.find(({ key }) => key === slack)?.last;
const overskipped = 'sk_v1_6da76382455ece56c4c178311b775b70246e0a6706718e1c91f1b249b4962347';

async function inspected(directory: string) {
  const problems: FolderProblem[] = [];
  const steps = inspectJsonl(directory);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) return { problems, counts: step.value as FolderCounts };
    problems.push(step.value);
  }
}

function told(problems: readonly FolderProblem[]) {
  return problems.map(({ code, key, path, line }) => [
    code,
    key ?? basename(path),
    ...(line === undefined ? [] : [line]),
  ]);
}

/** Every file below the folder, with its content and its time. */
async function everything(directory: string) {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const files = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Promise.all(
    files.map(async (path) => [path, (await stat(path)).mtimeMs, await readFile(path, 'latin1')]),
  );
}

async function picoclawCopy(): Promise<string> {
  const directory = await tempFolder();
  await cp(fixture, directory, { recursive: true });
  return directory;
}

async function someSessions(): Promise<string> {
  const directory = await tempFolder();
  const store = await createJsonlBackend({ directory });
  for (const key of ['a', 'b', 'c']) {
    await store.ensure(key, { title: key.toUpperCase() });
    for (const content of ['one', 'two', 'three']) await store.append(key, [{ role: 'user', content }]);
  }
  await store.truncate('b', { keepLast: 1 });
  await store.close();
  return directory;
}

const line = (seq: number, content: string, more?: number) =>
  `${JSON.stringify({ seq, ...(more === undefined ? {} : { more }), id: `m${seq}`, role: 'user', content })}\n`;

describe('a folder of PicoClaw', () => {
  it('has exactly the problems that are known of it, and is not changed by being looked at', async () => {
    const directory = await picoclawCopy();
    const before = await everything(directory);
    const { problems, counts } = await inspected(directory);
    expect(told(problems)).toEqual([
      ['lagging-metadata', forum],
      ['broken-metadata', discord],
      ['skip-beyond-end', overskipped],
      ['unreadable-line', slack, 3],
      ['torn-line', slack, 5],
    ]);
    expect(problems.every(({ fixable, message, path }) => fixable && message.includes(path))).toBe(true);
    expect(counts).toEqual({
      sessions: expected.sessions.length,
      messages: expected.sessions.reduce((sum, { total }) => sum + total, 0),
    });
    expect(await everything(directory)).toEqual(before);
  });

  it('is mended, shows the same messages, and keeps what was changed as it was', async () => {
    const directory = await picoclawCopy();
    const reading = await createJsonlBackend({ directory, readOnly: true });
    const before = new Map<string, unknown>();
    for (const { key } of expected.sessions)
      before.set(key, [await reading.read(key, { segment: 'all' }), (await reading.meta(key))?.summary]);
    await reading.close();

    const { mended, left, backup, sessions } = await mendJsonl(directory);
    expect(mended).toHaveLength(5);
    expect([left, sessions]).toEqual([[], expected.sessions.length]);
    expect((await inspected(directory)).problems).toEqual([]);
    const kept = await readdir(backup ?? '');
    for (const name of [`${slack}.jsonl`, `${discord}.meta.json`, `${forum}.meta.json`]) {
      expect(kept).toContain(name);
      expect(await readFile(join(backup ?? '', name))).toEqual(await readFile(join(fixture, name)));
    }

    const store = await createJsonlBackend({ directory });
    for (const { key, visible } of expected.sessions) {
      expect([await store.read(key, { segment: 'all' }), (await store.meta(key))?.summary]).toEqual(
        before.get(key),
      );
      expect(await store.read(key)).toHaveLength(visible);
    }
    for (const [name, key] of Object.entries(expected.resolve)) expect(await store.resolve(name)).toBe(key);
    await store.close();
    expect((await picoclawView(directory, slack)).messages.map(({ content }) => content)).toEqual([
      'one',
      slackLast,
    ]);
    expect((await picoclawView(directory, forum)).count).toBe(3);
    expect(await mendJsonl(directory)).toMatchObject({ mended: [], left: [], backup: undefined });
  });
});

describe('a folder of ours', () => {
  it('that was closed has no problem', async () => {
    expect(await inspected(await someSessions())).toEqual({
      problems: [],
      counts: { sessions: 3, messages: 9 },
    });
  });

  it('has none while a process writes to it, and is not mended then', async () => {
    const directory = await someSessions();
    const store = await createJsonlBackend({ directory });
    await store.append('a', [{ role: 'user', content: 'four' }]);
    expect((await inspected(directory)).problems).toEqual([]);
    await expect(mendJsonl(directory)).rejects.toThrow(StoreLocked);
    await store.close();
    expect((await inspected(directory)).problems).toEqual([]);
  });

  it('tells what is wrong in each line, and keeps the rest in its place when it is mended', async () => {
    const directory = await someSessions();
    const path = join(directory, 'b.jsonl');
    const mark = '\u{feff}';
    await writeFile(
      path,
      `not json\n${mark}{"seq":4,"id":"m4","role":"user","content":"four"}\n${line(6, 'five')}{"seq":7,"id":"m7","ro`,
      { flag: 'a' },
    );
    const { problems } = await inspected(directory);
    expect(told(problems)).toEqual([
      ['unreadable-line', 'b', 4],
      ['damaged-text', 'b', 5],
      ['torn-line', 'b', 7],
      ['lagging-metadata', 'b'],
    ]);
    const { left } = await mendJsonl(directory);
    expect(left).toEqual([]);
    const store = await createJsonlBackend({ directory });
    expect((await store.read('b', { segment: 'all' })).map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
      [5, 'four'],
      [6, 'five'],
    ]);
    expect((await store.read('b')).map(({ content }) => content)).toEqual(['three', 'four', 'five']);
    await store.close();
    expect((await picoclawView(directory, 'b')).messages.map(({ content }) => content)).toEqual([
      'three',
      'four',
      'five',
    ]);
  });

  it('tells of appends that were cut off, of seqs that do not rise, and of lines too long for PicoClaw', async () => {
    const directory = await someSessions();
    await writeFile(join(directory, 'a.jsonl'), line(4, 'four', 1), { flag: 'a' });
    await writeFile(join(directory, 'b.jsonl'), line(2, 'again'), { flag: 'a' });
    await writeFile(join(directory, 'c.jsonl'), line(4, 'x'.repeat(10 * 1024 * 1024)), { flag: 'a' });
    const { problems } = await inspected(directory);
    expect(told(problems)).toEqual([
      ['unfinished-append', 'a', 4],
      ['seq-order', 'b', 4],
      ['lagging-metadata', 'b'],
      ['long-line', 'c', 4],
      ['lagging-metadata', 'c'],
    ]);
    const { left } = await mendJsonl(directory);
    expect(told(left)).toEqual([['long-line', 'c', 4]]);
    const store = await createJsonlBackend({ directory });
    expect(await store.read('a')).toHaveLength(3);
    expect((await store.read('b', { segment: 'all' })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await store.close();
  });

  it('tells where files are missing, too short or two for one session', async () => {
    const directory = await someSessions();
    await cp(join(directory, 'b.jsonl'), join(directory, 'z.jsonl'));
    await cp(join(directory, 'b.meta.json'), join(directory, 'z.meta.json'));
    const first = (await readFile(join(directory, 'a.jsonl'))).indexOf('\n') + 1;
    await truncate(join(directory, 'a.jsonl'), first);
    await unlink(join(directory, 'c.jsonl'));
    await cp(join(directory, 'b.jsonl'), join(directory, 'alone.jsonl'));
    const { problems } = await inspected(directory);
    expect(told(problems)).toEqual([
      ['history-shorter', 'a'],
      ['history-missing', 'c'],
      ['duplicate-key', 'b'],
      ['metadata-missing', 'alone'],
    ]);
    const { left } = await mendJsonl(directory);
    expect(told(left)).toEqual([['duplicate-key', 'b']]);
  });

  it('tells of an alias that two sessions list, but not of the main alias that all list', async () => {
    const directory = await tempFolder();
    for (const [name, created] of [
      ['young', '2026-02-01T00:00:00Z'],
      ['old', '2026-01-01T00:00:00Z'],
    ]) {
      const meta = {
        key: name,
        summary: '',
        skip: 0,
        count: 0,
        created_at: created,
        updated_at: created,
        aliases: ['agent:main:main', 'agent:main:direct:7'],
      };
      await writeFile(join(directory, `${name}.meta.json`), JSON.stringify(meta));
    }
    expect(told((await inspected(directory)).problems)).toEqual([['alias-conflict', 'young']]);
    expect((await mendJsonl(directory)).left).toEqual([]);
    const store = await createJsonlBackend({ directory });
    expect(await store.resolve('agent:main:direct:7')).toBe('old');
    await store.close();
  });

  it('tells what a crash left in our own folder, and what belongs to nobody', async () => {
    const directory = await someSessions();
    const own = join(directory, '.holdfast');
    await mkdir(join(own, 'intents'), { recursive: true });
    await mkdir(join(own, 'staged'), { recursive: true });
    const holder = {
      pid: 2 ** 22 + 1,
      host: hostname(),
      started: '1',
      since: 'then',
    };
    await writeFile(join(own, 'lock'), JSON.stringify({ ...holder, token: 't' }));
    const size = (await stat(join(directory, 'a.jsonl'))).size;
    const step = { do: 'append', file: 'a.jsonl', at: size, text: line(4, 'four') };
    await writeFile(join(own, 'intents/x.json'), JSON.stringify({ version: 1, steps: [step] }));
    await writeFile(join(own, 'intents/y.json'), '{cut');
    await writeFile(join(own, 'staged/z'), 'half');
    const bytes = Buffer.from(line(4, 'four'));
    const parts = [{ name: 'c', at: (await stat(join(directory, 'c.jsonl'))).size, bytes }];
    await writeFile(join(own, 'journal-1.log'), encodeRecord(1, 1, { parts, settled: [] }));
    await writeFile(join(directory, 'config.json'), '{}');
    await writeFile(join(directory, 'notes.txt'), 'mine');
    const { problems } = await inspected(directory);
    expect(told(problems)).toEqual([
      ['stale-lock', 'lock'],
      ['unfinished-change', 'x.json'],
      ['unreadable-intent', 'y.json'],
      ['leftover-file', 'z'],
      ['unfinished-journal', 'journal-1.log'],
      ['foreign-file', 'config.json'],
      ['foreign-file', 'notes.txt'],
    ]);
    const { left, mended, backup } = await mendJsonl(directory);
    expect(mended.map(({ code }) => code)).toEqual([
      'stale-lock',
      'unfinished-change',
      'leftover-file',
      'unfinished-journal',
    ]);
    expect(left.map(({ code }) => code)).toEqual(['unreadable-intent', 'foreign-file', 'foreign-file']);
    expect(await readdir(backup ?? '')).toEqual(
      expect.arrayContaining(['a.jsonl', 'c.jsonl', 'x.json', 'z']),
    );
    const store = await createJsonlBackend({ directory });
    expect(await store.read('a')).toHaveLength(4);
    expect(await store.read('c')).toHaveLength(4);
    await store.close();
  });
});

it('tells of sessions of the older format, of those that cannot be read, and not of those that were moved', async () => {
  const directory = await legacyFolder();
  await writeFile(join(directory, 'late.json'), legacyJson('late', ['one']));
  const { problems } = await inspected(directory);
  expect(told(problems)).toEqual([
    ['older-session', 'agent:main:direct:user9'],
    ['foreign-file', 'broken.json'],
    ['older-session', 'late'],
    ['older-session', 'nokey'],
    ['older-session', 'telegram:123456'],
    ['foreign-file', 'config.json'],
    ['foreign-file', 'list.json'],
  ]);
});

it('says of a place that is no folder what it is', async () => {
  const directory = await tempFolder();
  await expect(inspected(join(directory, 'nowhere'))).rejects.toThrow(StoreFailed);
  await writeFile(join(directory, 'file'), '');
  await expect(inspected(join(directory, 'file'))).rejects.toThrow('is not a folder');
});
