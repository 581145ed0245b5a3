import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { openPicobot, picobotFile } from '../test/picobot-file.js';
import { createSqliteBackend } from './index.js';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function opened(file: string) {
  const store = await createSqliteBackend({ file });
  closing.push(() => store.close());
  return store;
}

function picobot(file: string) {
  const program = openPicobot(file);
  closing.push(() => program.close());
  return program;
}

it("opens PicoBot's database in place and shows what it says", async () => {
  const expected = JSON.parse(
    await readFile(new URL('../test/fixtures/picobot/expected.json', import.meta.url), 'utf8'),
  );
  const file = await picobotFile();
  const store = await opened(file);

  const listed = async (archived: 'exclude' | 'include') =>
    (await store.list({ archived })).sessions.map(({ key }) => key);
  expect((await listed('exclude')).sort()).toEqual([...expected.listed].sort());
  expect((await listed('include')).sort()).toEqual([...expected.listed_with_archived].sort());
  expect((await listed('exclude'))[0]).toBe('feishu:oc_ab12');
  for (const [key, count] of Object.entries(expected.active)) {
    expect(await store.read(key)).toHaveLength(Number(count));
    expect(await store.meta(key)).toMatchObject({ activeCount: count });
  }
  for (const [key, count] of Object.entries(expected.all)) {
    expect(await store.read(key, { segment: 'all' })).toHaveLength(Number(count));
    expect(await store.meta(key)).toMatchObject({ messageCount: count });
  }
  for (const key of expected.hidden) {
    expect(await store.meta(key)).toBeUndefined();
    expect((await store.list({ deleted: true })).sessions.map((session) => session.key)).toContain(key);
  }
  for (const [key, seq] of Object.entries(expected.next_seq)) {
    expect(await store.append(key, [{ role: 'user', content: 'next' }])).toMatchObject([{ seq }]);
  }
  const jobs = picobot(file).all('SELECT id, state FROM scheduler_jobs');
  expect(Object.fromEntries(jobs.map((job) => Object.values(Object(job))))).toEqual(expected.jobs);
});

it('reads a message of PicoBot with its tool calls, media and ids', async () => {
  const store = await opened(await picobotFile());
  const messages = await store.read('feishu:oc_ab12');
  expect(messages.map(({ id, seq, role }) => [id, seq, role])).toEqual([
    ['feishu:oc_ab12-4', 4, 'system'],
    ['feishu:oc_ab12-5', 5, 'user'],
    ['feishu:oc_ab12-6', 6, 'assistant'],
    ['feishu:oc_ab12-7', 7, 'tool'],
  ]);
  expect(messages[1]).toMatchObject({ media: ['/media/sheet.png'], createdAt: '2026-02-25T06:13:20.005Z' });
  expect(messages[2]?.toolCalls).toEqual([
    { id: 'call_9', name: 'calculator', arguments: '{"expression":"6*7"}' },
  ]);
  expect(messages[3]).toMatchObject({ toolCallId: 'call_9', toolName: 'calculator', content: '42' });
  expect(await store.meta('feishu:oc_ab12')).toMatchObject({
    channel: 'feishu',
    agentId: 'main',
    title: 'oc_ab12',
    userTurns: 1,
    cutoff: 3,
  });
});

it("means by PicoBot's columns what PicoBot means", async () => {
  const file = await picobotFile();
  const store = await opened(file);
  await store.append('cli-old', [
    {
      role: 'assistant',
      content: 'calling',
      toolCalls: [{ id: 'c', name: 'search', arguments: '{"q": 1}' }],
      media: ['media://1'],
    },
    { role: 'user', content: 'thanks' },
  ]);
  await store.rename('cli-1', 'Notes');
  await store.archive('cli-1');
  await store.reset('telegram:77');
  await store.delete('feishu:oc_ab12');
  await store.ensure('slack:C1', { channel: 'slack', agentId: 'main' });
  await store.append('slack:C1', [{ role: 'user', content: 'hello' }]);
  await store.setSummary('slack:C1', 'so far');

  const bot = picobot(file);
  expect(bot.list()).toEqual(['slack:C1', 'cli-old', 'telegram:77']);
  expect(bot.row('cli-old')).toMatchObject({ message_count: 3, user_turn_count: 2, archived_at: null });
  expect(bot.row('cli-1')).toMatchObject({
    title: 'Notes',
    message_count: 3,
    archived_at: expect.any(Number),
  });
  expect(bot.row('telegram:77')).toMatchObject({ reset_cutoff_seq: 4, user_turn_count: 0, message_count: 2 });
  expect(bot.row('feishu:oc_ab12')).toMatchObject({ deleted_at: expect.any(Number), message_count: 7 });
  expect(bot.row('slack:C1')).toMatchObject({ channel_name: 'slack', chat_id: 'C1', summary: 'so far' });
  expect(bot.active('telegram:77')).toEqual([]);
  const [call] = bot.all("SELECT tool_calls_json, media_refs_json FROM messages WHERE content = 'calling'");
  expect(call).toEqual({
    tool_calls_json: '[{"id":"c","name":"search","arguments":{"q":1},"arguments_text":"{\\"q\\": 1}"}]',
    media_refs_json: '["media://1"]',
  });
  expect((await store.read('cli-old')).at(-2)?.toolCalls).toEqual([
    { id: 'c', name: 'search', arguments: '{"q": 1}' },
  ]);
});

it('goes on where PicoBot went on meanwhile, both with the file open', async () => {
  const file = await picobotFile();
  const store = await opened(file);
  const bot = picobot(file);
  await store.append('cli-1', [{ role: 'user', content: 'ours' }]);
  expect(bot.append('cli-1', 'user', 'the umbrella of PicoBot')).toBe(5);
  expect(await store.meta('cli-1')).toMatchObject({
    messageCount: 5,
    activeCount: 5,
    lastSeq: 5,
    userTurns: 3,
  });
  expect((await store.search('umbrella')).hits).toMatchObject([{ key: 'cli-1', message: { seq: 5 } }]);
  expect(await store.append('cli-1', [{ role: 'user', content: 'ours again' }])).toMatchObject([{ seq: 6 }]);
  bot.reset('cli-1');
  expect(await store.meta('cli-1')).toMatchObject({
    messageCount: 6,
    activeCount: 0,
    cutoff: 6,
    userTurns: 0,
  });
  bot.append('cli-1', 'user', 'after the reset');
  expect((await store.read('cli-1')).map(({ content }) => content)).toEqual(['after the reset']);
  bot.clear('cli-1');
  bot.append('cli-1', 'user', 'anew, without what it held');
  expect(await store.read('cli-1')).toMatchObject([{ seq: 1 }]);
  expect((await store.search('umbrella', { segment: 'all' })).hits).toEqual([]);
  expect((await store.search('anew')).hits).toHaveLength(1);
  expect(await store.append('cli-1', [{ role: 'user', content: 'behind what was seen' }])).toMatchObject([
    { seq: 7 },
  ]);
  bot.create('telegram:9', 'telegram', '9');
  bot.append('telegram:9', 'user', 'a session of PicoBot');
  expect(await store.meta('telegram:9')).toMatchObject({ channel: 'telegram', messageCount: 1 });
});

it('says the same as the messages say, whatever PicoBot and ours do in turn', async () => {
  const keys = ['cli-1', 'telegram:77'];
  const key = fc.constantFrom(...keys);
  const steps = fc.array(
    fc.record({
      by: fc.constantFrom('picobot', 'ours'),
      key,
      act: fc.constantFrom('append', 'append', 'append', 'clear', 'reset', 'search'),
      word: fc.constantFrom('apple', 'banana', 'cherry'),
    }),
    { minLength: 1, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (program) => {
      const file = await picobotFile();
      const store = await createSqliteBackend({ file, synchronous: 'normal' });
      const bot = openPicobot(file);
      let at = 1_800_000_000_000;
      for (const step of program) {
        at += 1;
        if (step.act === 'search') await store.search(step.word);
        else if (step.by === 'ours') {
          if (step.act === 'append') await store.append(step.key, [{ role: 'user', content: step.word }]);
          else await store[step.act](step.key);
        } else if (step.act === 'append') bot.append(step.key, 'user', step.word, at);
        else bot[step.act](step.key, at);

        const meta = await store.meta(step.key);
        const all = await store.read(step.key, { segment: 'all' });
        const active = await store.read(step.key);
        expect(active.map(({ content }) => content)).toEqual(bot.active(step.key));
        expect([meta?.messageCount, meta?.activeCount]).toEqual([all.length, active.length]);
        expect(bot.row(step.key)?.message_count).toBe(all.length);
      }
      for (const word of ['apple', 'banana', 'cherry']) {
        const { hits } = await store.search(word, { segment: 'all', limit: 1000 });
        const [expected] = bot.column(
          `SELECT count(*) FROM messages WHERE session_id IN ('cli-1', 'telegram:77') AND content = '${word}'`,
        );
        expect(hits).toHaveLength(Number(expected));
      }
      bot.close();
      await store.close();
    }),
    { numRuns: 30 },
  );
});

it('makes a new file that PicoBot can go on with', async () => {
  const file = `${await tempFolder()}/new.db`;
  const store = await opened(file);
  await store.ensure('cli-x', { channel: 'cli', agentId: 'main', title: 'x' });
  await store.append('cli-x', [{ role: 'user', content: 'one' }]);
  const bot = picobot(file);
  expect(bot.append('cli-x', 'assistant', 'two')).toBe(2);
  expect(bot.active('cli-x')).toEqual(['one', 'two']);
  const indexes = bot.column("SELECT name FROM sqlite_schema WHERE type = 'index'");
  expect(indexes).toEqual(
    expect.arrayContaining([
      'idx_sessions_channel_archived',
      'idx_sessions_updated_at',
      'idx_messages_session_seq',
      'idx_messages_session_created',
    ]),
  );
});
