import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bareEnvironment, holdfast } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const program = join(import.meta.dirname, '../dist/cli.js');
const SESSIONS = 50;

/** A folder of OpenClaw's with many sessions of a few messages. */
function manySessions(): { readonly folder: string; readonly state: string } {
  const folder = temporaryFolder();
  const state = join(folder, '.openclaw');
  const sessions = join(state, 'agents/main/sessions');
  mkdirSync(sessions, { recursive: true });
  const index: Record<string, object> = {};
  for (let number = 0; number < SESSIONS; number += 1) {
    const id = `session-${number}`;
    index[`agent:main:telegram:direct:${number}`] = { sessionId: id, updatedAt: 1_772_000_000_000 + number };
    const lines: object[] = [
      { type: 'session', version: 3, id, timestamp: '2026-02-25T06:13:00.000Z', cwd: '/' },
    ];
    for (let place = 1; place <= 5; place += 1) {
      const message = { role: place % 2 === 1 ? 'user' : 'assistant', content: `message ${place} of ${id}` };
      const timestamp = `2026-02-25T06:13:0${place}.000Z`;
      lines.push({
        type: 'message',
        id: `m${place}`,
        parentId: place === 1 ? null : `m${place - 1}`,
        timestamp,
        message,
      });
    }
    writeFileSync(join(sessions, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify(index, null, 2));
  return { folder, state };
}

test('a migration that is killed at any moment is brought to its end by the next one, as if nothing had happened', async () => {
  const { folder, state } = manySessions();
  const exported = async (store: string) =>
    (await holdfast(folder, ['sessions', 'export', '--store', store])).stdout;
  const migrate = (to: string) => ['migrate', '--from', 'openclaw', state, '--to', to, '--json'];
  const whole = `jsonl:${join(folder, 'whole')}`;
  expect((await holdfast(folder, migrate(whole))).code).toBe(0);
  const wanted = await exported(whole);

  for (const histories of [SESSIONS / 2, SESSIONS - 1]) {
    const target = join(folder, `killed-${histories}`);
    const to = `jsonl:${target}`;
    const child = spawn(process.execPath, [program, ...migrate(to)], {
      cwd: folder,
      env: bareEnvironment(folder),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const written = () => {
      try {
        return readdirSync(target).filter((name) => name.endsWith('.jsonl')).length;
      } catch {
        return 0;
      }
    };
    while (written() < histories && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await exited;
    const again = await holdfast(folder, migrate(to));
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout).sessions).toHaveLength(SESSIONS);
    expect(await exported(to)).toBe(wanted);
  }
}, 300_000);
