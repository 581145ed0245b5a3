import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fixtureFolder, temporaryFolder } from '../../test/folders.js';
import { createOpenclawBackend, writeOpenclawFolder } from '../index.js';

const writer = join(import.meta.dirname, '../../test/folder-writer.mjs');

/** The files of a folder as texts, without what a crash may leave and the next one passes over. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const sessions = join(folder, 'agents/main/sessions');
  return Object.fromEntries(
    readdirSync(sessions)
      .filter((name) => !/\.tmp$|\.lock$|\.claim$|\.bak\./.test(name))
      .map((name) => [name, readFileSync(join(sessions, name), 'utf8')]),
  );
}

test('a kill at any file leaves transcripts whole, and the next time of writing brings it to its end', async () => {
  const source = fixtureFolder('openclaw');
  const wanted = temporaryFolder();
  const backend = await createOpenclawBackend({ directory: source });
  onTestFinished(() => backend.close());
  await writeOpenclawFolder(wanted, backend.export());
  const whole = filesOf(wanted);
  const names = Object.keys(whole);
  for (let files = 1; files <= names.length; files += 2) {
    const target = join(temporaryFolder(), 'target');
    const child = spawn(process.execPath, [writer, source, target], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const written = () => {
      try {
        return Object.keys(filesOf(target)).length;
      } catch {
        return 0;
      }
    };
    while (written() < files && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await exited;
    for (const [name, text] of Object.entries(filesOf(target)))
      expect([name, text]).toEqual([name, whole[name]]);
    const outcomes = await writeOpenclawFolder(target, backend.export());
    expect(outcomes.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(filesOf(target)).toEqual(whole);
  }
}, 300_000);
