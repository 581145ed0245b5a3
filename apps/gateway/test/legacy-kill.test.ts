import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { bareEnvironment, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const SESSIONS = 120;
const MESSAGES = 12;

test('a gateway that is killed again and again while it moves older sessions loses none and doubles none', async () => {
  const folder = temporaryFolder();
  const sessions = join(folder, 'data/sessions');
  mkdirSync(sessions, { recursive: true });
  for (let number = 0; number < SESSIONS; number += 1) {
    const messages = Array.from({ length: MESSAGES }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${number}: ${index}`,
    }));
    const record = {
      key: `web:${number}`,
      messages,
      summary: `about ${number}`,
      created: '2025-01-01T00:00:00Z',
    };
    writeFileSync(join(sessions, `web_${number}.json`), JSON.stringify(record));
  }
  const count = (ending: string) => readdirSync(sessions).filter((name) => name.endsWith(ending)).length;
  // In the midst of copying, three times, and in the midst of renaming.
  for (const [ending, further] of [
    ['.jsonl', 1],
    ['.jsonl', 30],
    ['.jsonl', 30],
    ['.migrated', 1],
  ] as const) {
    const target = Math.min(count(ending) + further, SESSIONS);
    const child = spawn(process.execPath, [join(import.meta.dirname, '../dist/cli.js'), 'start'], {
      cwd: folder,
      env: bareEnvironment(folder, { HOLDFAST_PORT: '0' }),
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    while (child.exitCode === null && count(ending) < target) await sleep(1);
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await exited;
  }
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  const client = clientOf(gateway.url);
  const listed = (await client.get('/api/sessions?limit=200')).sessions;
  expect(listed).toHaveLength(SESSIONS);
  for (const { key, message_count, summary } of listed) {
    const number = key.slice('web:'.length);
    expect({ key, message_count, summary }).toEqual({
      key,
      message_count: MESSAGES,
      summary: `about ${number}`,
    });
    const contents = (await client.messages(key)).map(({ content }) => content);
    expect(contents).toEqual(Array.from({ length: MESSAGES }, (_, index) => `${number}: ${index}`));
  }
  await gateway.end();
  const names = readdirSync(sessions);
  expect(names.filter((name) => name.endsWith('.json.migrated'))).toHaveLength(SESSIONS);
  expect(names.filter((name) => name.endsWith('.json') && !name.endsWith('.meta.json'))).toEqual([]);
});
