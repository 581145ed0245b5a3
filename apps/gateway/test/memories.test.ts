import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, problemOf } from './support/client.js';
import { holdfast, type RunningProgram, startProgram } from './support/program.js';
import { keptFolder, removeFolder } from './support/temporary-folder.js';

const onTelegram = { channel: 'telegram', chat_type: 'direct', chat_id: '11', sender_id: '11' };
const onSlack = { channel: 'slack', chat_type: 'direct', chat_id: 'D4', sender_id: 'U7' };
const boris = { ...onTelegram, chat_id: '22', sender_id: '22' };
const group = { channel: 'telegram', chat_type: 'group', chat_id: '-100', sender_id: '11' };
const ASK = 'what do you remember?';

describe.each(['jsonl', 'sqlite'])('with sessions in %s', (store) => {
  const folder = keptFolder();
  let gateway: RunningProgram;
  const client = () => clientOf(gateway.url);
  const start = () => startProgram(folder);

  afterAll(() => removeFolder(folder));
  beforeAll(async () => {
    writeFileSync(
      join(folder, 'holdfast.config.json'),
      JSON.stringify({
        store,
        session: { dimensions: ['chat'], identity_links: { Ann: ['telegram:11', 'slack:U7'] } },
      }),
    );
    gateway = await start();
  });
  afterAll(async () => void (await gateway.end()));

  async function memories(query = '') {
    const answer = await client().request('GET', `/api/memories${query}`);
    return (await answer.json()) as { memories: Memory[]; next_cursor: number | null };
  }

  test('a person finds their memories on every channel, in new sessions, and after a restart', async () => {
    await client().inbound(onTelegram, 'remember that my boat is called Petrel');
    expect((await client().inbound(onSlack, ASK)).reply).toContain('Petrel');
    await gateway.end();
    gateway = await start();
    expect((await client().inbound(onSlack, 'what do you remember about boats?')).reply).toContain(
      'holds any',
    );
    expect((await client().inbound(onSlack, 'what do you remember about my boat?')).reply).toContain(
      'Petrel',
    );
  });

  test('nobody finds the memories of somebody else, nor does a group of one of its people', async () => {
    await client().inbound(boris, 'remember that my safe opens with 1234');
    const others = [
      onTelegram,
      onSlack,
      group,
      { ...group, sender_id: '22' },
      { ...boris, channel: 'discord' },
    ];
    for (const context of others) {
      const said = await client().inbound(context, ASK);
      expect(JSON.stringify(said)).not.toContain('1234');
      const asked = await client().inbound(context, 'what do you remember about my safe?');
      expect(JSON.stringify(asked.messages.filter(({ role }) => role === 'tool'))).not.toContain('1234');
      await client().inbound(context, 'forget that my safe opens with 1234');
    }
    // Somebody who speaks in the session of another reaches neither that person's memories nor leaves their own.
    const { session_key } = await client().inbound(boris, ASK);
    const asked = await client().post('/api/chat', { text: ASK, session: session_key });
    expect(asked.reply).toBe('Nothing has been remembered yet.');
    expect((await client().inbound(boris, ASK)).reply).toContain('1234');
  });

  test('a group has memories of its own, which all of it share', async () => {
    await client().inbound(group, 'remember the meeting is on Friday');
    expect((await client().inbound({ ...group, sender_id: '33' }, ASK)).reply).toContain('Friday');
    expect((await client().inbound(onTelegram, ASK)).reply).not.toContain('Friday');
  });

  test('what is forgotten is gone, by its words or over HTTP', async () => {
    await client().inbound(boris, 'remember I like quince');
    expect((await client().inbound(boris, 'forget I like quince')).reply).toContain('Forgotten');
    expect((await client().inbound(boris, ASK)).reply).not.toContain('quince');
    expect((await memories('?q=quince')).memories).toEqual([]);
  });

  test('is listed, shown, kept, changed and forgotten over HTTP', async () => {
    const subject = 'person:ann';
    const kept = await client().request('POST', '/api/memories', { subject, text: 'plays the oboe' });
    const { memory, added } = (await kept.json()) as { memory: Memory; added: boolean };
    expect(added).toBe(true);
    expect(memory).toEqual({
      id: expect.any(Number),
      agent_id: 'main',
      subject,
      text: 'plays the oboe',
      session_key: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const path = `/api/memories/${memory.id}`;
    expect((await client().inbound(onSlack, ASK)).reply).toContain('oboe');
    await client().request('PATCH', path, { text: 'plays the flute' });
    expect((await client().inbound(onSlack, ASK)).reply).toContain('flute');
    expect(await (await client().request('GET', path)).json()).toMatchObject({
      memory: { text: 'plays the flute' },
    });
    const first = await memories(`?subject=${subject}&limit=1`);
    expect(first.memories).toMatchObject([{ id: memory.id }]);
    const second = await memories(`?subject=${subject}&cursor=${first.next_cursor}`);
    expect(second.memories).toMatchObject([
      { text: 'my boat is called Petrel', session_key: expect.any(String) },
    ]);
    expect(await (await client().request('DELETE', path)).json()).toEqual({ deleted: true });
    expect((await client().inbound(onSlack, ASK)).reply).not.toContain('flute');
    const refusals = [
      ['GET', path, undefined, 404, 'memory_not_found'],
      ['DELETE', '/api/memories/zero', undefined, 404, 'memory_not_found'],
      ['POST', '/api/memories', { subject: 'ann', text: 'x' }, 400, 'invalid_request'],
      ['POST', '/api/memories', { subject, text: ' ' }, 400, 'invalid_request'],
      ['POST', '/api/memories', { subject, text: 'x'.repeat(4001) }, 413, 'memory_too_long'],
      ['POST', '/api/memories', { subject, text: 'x', agent: 'nobody' }, 400, 'unknown_agent'],
    ] as const;
    for (const [method, where, body, status, code] of refusals) {
      const answer = await client().request(method, where, body);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([status, code]);
    }
  });

  test('the command line lists, shows, adds, edits and forgets beside the running gateway', async () => {
    const run = (...words: string[]) => holdfast(folder, ['memories', ...words]);
    const added = await run('add', 'speaks', 'Basque', '--subject', 'person:ann', '--json');
    const { memory } = JSON.parse(added.stdout) as { memory: Memory };
    expect((await client().inbound(onSlack, ASK)).reply).toContain('speaks Basque');
    expect((await run('edit', String(memory.id), 'speaks Breton')).stderr).toContain(
      `Memory ${memory.id} is changed.`,
    );
    const listed = await run('list', '--json', '--search', 'BRETON');
    expect(JSON.parse(listed.stdout)).toEqual([
      { ...memory, text: 'speaks Breton', updated_at: expect.any(String) },
    ]);
    expect((await run('list', '--subject', 'person:ann')).stdout).toContain('speaks Breton');
    expect((await run('show', String(memory.id))).stdout).toContain('speaks Breton');
    expect(await run('forget', String(memory.id))).toMatchObject({ code: 2 });
    expect(await run('forget', String(memory.id), '--yes', '--json')).toMatchObject({ code: 0 });
    expect(await run('show', String(memory.id))).toMatchObject({ code: 1, stdout: '' });
    expect(await run('show', 'one')).toMatchObject({ code: 2 });
    expect(await run('list', '--subject', 'ann')).toMatchObject({ code: 2 });
    expect(await run('add', 'x'.repeat(4001), '--subject', 'person:ann')).toMatchObject({
      code: 1,
      stdout: '',
    });
  });
});

interface Memory {
  readonly id: number;
  readonly agent_id: string;
  readonly subject: string;
  readonly text: string;
  readonly session_key: string | null;
}
