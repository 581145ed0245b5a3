import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';

async function folderWith(content: Buffer | string, key = 's') {
  const directory = await tempFolder();
  const path = join(directory, `${key}.jsonl`);
  await writeFile(path, content);
  const findings: Finding[] = [];
  const open = () => createJsonlBackend({ directory, onFinding: (finding) => findings.push(finding) });
  return { path, findings, open };
}

const said = (content: string) => JSON.stringify({ role: 'user', content });

describe('lines that cannot be read', () => {
  it.each([
    [
      'two messages on one line',
      `${said('a')}\n${said('b')}${said('c')}\n${said('d')}\n`,
      ['a', 'd'],
      [['unreadable-line', 2]],
    ],
    ['a byte order mark', `\uFEFF${said('a')}\n${said('b')}\n`, ['a', 'b'], [['damaged-text', 1]]],
    ['NULs at the end', `${said('a')}\n${'\0'.repeat(4096)}`, ['a'], [['torn-line', 2]]],
    ['a record of another kind first', `{"type":"header"}\n${said('a')}\n`, ['a'], [['unreadable-line', 1]]],
    ['empty lines', `\n\r\n${said('a')}\r\n\n`, ['a'], []],
    ['a whole message without an end', `${said('a')}\n${said('b')}`, ['a', 'b'], []],
  ] as const)('are reported by line and survived: %s', async (_what, content, contents, lines) => {
    const { path, findings, open } = await folderWith(content);
    let store = await open();
    expect((await store.read('s')).map((message) => message.content)).toEqual(contents);
    expect(findings.map(({ code, line }) => [code, line])).toEqual(lines);
    expect(findings.every((finding) => finding.path === path && finding.message.includes(path))).toBe(true);
    await store.append('s', [{ role: 'user', content: 'next' }]);
    await store.close();
    store = await open();
    expect((await store.read('s')).map((message) => message.content)).toEqual([...contents, 'next']);
    await store.close();
    const text = await readFile(path, 'utf8');
    expect(text.startsWith(content)).toBe(true);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('are cut inside a character, and the next message begins on a line of its own', async () => {
    const whole = Buffer.from(`${said('a')}\n${said('grün')}`);
    const { findings, open } = await folderWith(whole.subarray(0, whole.indexOf('n"}') - 1));
    const store = await open();
    await store.append('s', [{ role: 'user', content: 'next' }]);
    expect((await store.read('s')).map(({ content, seq }) => [content, seq])).toEqual([
      ['a', 1],
      ['next', 3],
    ]);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([['torn-line', 2]]);
    await store.close();
  });

  it('are too long: read where memory allows it, passed over where not, and told with their size', async () => {
    const tool = (bytes: number) =>
      JSON.stringify({ role: 'tool', content: 'x'.repeat(bytes), tool_call_id: 'c' });
    const { findings, open } = await folderWith(
      `${said('a')}\n${tool(12_000_000)}\n${tool(22_000_000)}\n${said('b')}\n`,
    );
    const store = await open();
    const messages = await store.read('s');
    expect(messages.map(({ content }) => content.length)).toEqual([1, 12_000_000, 1]);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([
      ['long-line', 2],
      ['long-line', 3],
    ]);
    expect(
      findings.every(({ bytes = 0, message }) => bytes > 12_000_000 && message.includes(String(bytes))),
    ).toBe(true);
    await store.close();
  });

  it('stay in the kept part of a compaction, and are told of where they go with the rest', async () => {
    const { path, findings, open } = await folderWith(
      `${said('a')}\n{"cut\n${said('b')}\n{"kept\n${said('c')}\n`,
    );
    const store = await open();
    await store.truncate('s', { keepLast: 1 });
    await store.compact('s');
    expect(
      (await store.read('s', { segment: 'all' })).map(({ content, seq, id }) => [content, seq, id]),
    ).toEqual([['c', 5, 'line-5']]);
    expect(findings.filter(({ code }) => code === 'dropped-line').map(({ line }) => line)).toEqual([2, 4]);
    await store.close();
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(2);
  });

  it('in the middle survive a compaction byte for byte', async () => {
    const { path, open } = await folderWith(`${said('a')}\n${said('b')}\n{"kept\n${said('c')}\n`);
    const store = await open();
    await store.truncate('s', { keepLast: 2 });
    await store.compact('s');
    expect((await store.read('s')).map(({ content, seq }) => [content, seq])).toEqual([
      ['b', 2],
      ['c', 4],
    ]);
    await store.close();
    expect((await readFile(path, 'utf8')).split('\n')[1]).toBe('{"kept');
  });
});

describe('a history that ends anywhere', () => {
  it('gives its whole appends, and takes the next one', async () => {
    const directory = await tempFolder();
    const first = await createJsonlBackend({ directory });
    await first.ensure('s');
    await first.append('s', [{ role: 'user', content: 'one ü' }]);
    await first.append('s', [
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three 🙂' },
    ]);
    await first.append('s', [{ role: 'user', content: 'four' }]);
    const whole = await readFile(join(directory, 's.jsonl'));
    await first.close();
    const [one = 0, , three = 0, four = 0] = [...whole.keys()].filter((index) => whole[index] === 10);
    /** Where each append ends. A lone line lacks nothing without its end; of two, the last must have it. */
    const appends = [
      { contents: ['one ü'], through: one },
      { contents: ['two', 'three 🙂'], through: three + 1 },
      { contents: ['four'], through: four },
    ];

    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (cut) => {
        const { open } = await folderWith(whole.subarray(0, cut));
        let store = await open();
        const expected = appends.filter(({ through }) => cut >= through).flatMap(({ contents }) => contents);
        expect((await store.read('s')).map(({ content }) => content)).toEqual(expected);
        await store.append('s', [{ role: 'user', content: 'next' }]);
        await store.close();
        store = await open();
        expect((await store.read('s')).map(({ content }) => content)).toEqual([...expected, 'next']);
        await store.close();
      }),
      { numRuns: 60 },
    );
  }, 180_000);
});
