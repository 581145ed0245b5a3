import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const anna = { channel: 'telegram', chat_type: 'direct', chat_id: '7', sender_id: '7' };

async function gatewayOn(store: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ store }));
  const gateway = await startProgram(folder);
  onTestFinished(async () => void (await gateway.end()));
  return { folder, gateway, client: clientOf(gateway.url) };
}

test.each(['jsonl', 'sqlite'])(
  'a backup beside a running gateway is a store, and a data folder to go on with: %s',
  async (store) => {
    const { folder, gateway, client } = await gatewayOn(store);
    await client.inbound(anna, 'remember that I collect stamps');
    await client.post('/api/chat', { text: 'to be deleted', session: 'gone' });
    await client.delete('/api/sessions/gone');
    const writing = client.inbound(anna, '/slow 1 still being said');
    // A folder as the data folder holds a database under its usual name.
    const destination = store === 'jsonl' ? 'copies/monday' : 'copies/monday/sessions.sqlite';
    const { stdout, code } = await holdfast(folder, ['sessions', 'backup', destination, '--json']);
    await writing;
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as {
      to: string;
      sessions: number;
      messages: number;
      problems: string[];
    };
    expect(report).toMatchObject({ to: `${store}:${join(folder, destination)}`, sessions: 2, problems: [] });
    expect(report.messages).toBeGreaterThanOrEqual(6);
    expect((await holdfast(folder, ['doctor', '--store', report.to])).stdout).toContain('All is well');
    const again = await holdfast(folder, ['sessions', 'backup', destination]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    expect(readdirSync(join(folder, 'copies'))).toEqual(['monday']);
    await gateway.end();

    const revived = await startProgram(folder, { HOLDFAST_DATA: join(folder, 'copies/monday') });
    onTestFinished(async () => void (await revived.end()));
    const reply = await clientOf(revived.url).inbound(anna, 'what do you remember?');
    expect(reply.reply).toContain('stamps');
    expect((await clientOf(revived.url).messages(reply.session_key)).length).toBeGreaterThanOrEqual(8);
  },
);

test('a backup says what it cannot do', async () => {
  const folder = temporaryFolder();
  const missing = await holdfast(folder, ['sessions', 'backup', 'copy']);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There are no sessions at')]);
  expect(readdirSync(folder)).toEqual([]);
  expect(await holdfast(folder, ['sessions', 'backup'])).toMatchObject({ code: 2 });
});

test('the doctor tells a damaged database and a file that is none, and how to rescue', async () => {
  const { folder, gateway, client } = await gatewayOn('sqlite');
  for (let index = 0; index < 8; index += 1) {
    await client.post('/api/chat', { text: String(index).repeat(8000), session: 'long' });
  }
  expect((await holdfast(folder, ['doctor'])).stdout).toContain('All is well: 1 sessions, 16 messages.');
  await gateway.end();
  const file = join(folder, 'data/sessions.sqlite');
  const bytes = readFileSync(file);
  for (let page = 30; page * 4096 < bytes.length; page += 1)
    bytes.fill(0xff, page * 4096, page * 4096 + 2000);
  writeFileSync(file, bytes);
  const damaged = await holdfast(folder, ['doctor', '--json']);
  expect(damaged.code).toBe(1);
  expect(JSON.parse(damaged.stdout).problems[0]).toMatchObject({
    code: 'damaged',
    path: file,
    fixable: false,
  });
  expect((await holdfast(folder, ['doctor'])).stdout).toContain('.recover');

  const none = join(folder, 'letter.txt');
  writeFileSync(none, 'Dear reader, this is no database. '.repeat(100));
  const told = await holdfast(folder, ['doctor', '--store', `sqlite:${none}`, '--json']);
  expect(told.code).toBe(1);
  expect(JSON.parse(told.stdout)).toMatchObject({
    problems: [{ code: 'damaged', message: expect.stringContaining('not a SQLite database') }],
  });
});
