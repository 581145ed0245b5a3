import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileJournal } from './index.js';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'journal-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true });
});

const turn = (turnId: string, startedAt = '2026-01-01T00:00:00.000Z') => ({
  turnId,
  sessionKey: 's/../1',
  agentId: 'main',
  inputId: 'm1',
  startedAt,
});

describe('a file journal', () => {
  it('remembers what began and did not end, oldest first, for whoever opens the folder next', async () => {
    const journal = createFileJournal(join(directory, 'turns'));
    expect(await journal.open()).toEqual([]);
    await journal.begin(turn('../b', '2026-01-02T00:00:00.000Z'));
    await journal.begin(turn('a'));
    await journal.begin(turn('c'));
    await journal.end('c');
    await journal.end('never begun');
    expect(await createFileJournal(join(directory, 'turns')).open()).toEqual([
      turn('a'),
      turn('../b', '2026-01-02T00:00:00.000Z'),
    ]);
    expect(await readdir(directory)).toEqual(['turns']);
    expect(await journal.open()).toEqual([]);
  });

  it('writes the newest text after a while, and nothing after the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const journal = createFileJournal(directory);
    await journal.begin(turn('a'));
    for (const text of ['O', 'On', 'Once']) journal.progress('a', { messageId: 'x', text });
    const [name] = await readdir(directory);
    const file = join(directory, name ?? '');
    expect(await readFile(file, 'utf8')).not.toContain('Once');
    await vi.advanceTimersByTimeAsync(250);
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"text":"Once"'));
    expect(await createFileJournal(directory).open()).toMatchObject([
      { partial: { messageId: 'x', text: 'Once' } },
    ]);
    journal.progress('a', { messageId: 'x', text: 'Once upon' });
    await journal.end('a');
    journal.progress('a', { messageId: 'x', text: 'Once upon a' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await readdir(directory)).toEqual([]);
  });

  it('goes on after what it cannot read, and touches nothing that is not its own', async () => {
    const own = 'a'.repeat(32);
    await writeFile(join(directory, `${own}.json`), '{"turnId":');
    await writeFile(join(directory, `${own}.json.new`), '{}');
    const others = ['sessions.sqlite', 'package.json', 'notes.json.new'];
    for (const name of others) await writeFile(join(directory, name), '{}');
    await mkdir(join(directory, 'folder.json'));
    const journal = createFileJournal(directory);
    await journal.begin(turn('a'));
    expect(await createFileJournal(directory).open()).toEqual([turn('a')]);
    await journal.end('a');
    expect(await readdir(directory)).toEqual(['folder.json', ...others].sort());
  });
});
