import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from './support/client.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const fixture = join(import.meta.dirname, '../../../packages/memory-jsonl/test/fixtures/picoclaw');
const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as {
  sessions: { key: string; visible: number; summary: string; last: string | null }[];
  resolve: Record<string, string>;
};
const FORUM = 'agent:main:telegram:group:-1001234567890/42';

/** Cannot be read in the fixture, and stays as it is until its session is written to. */
const UNREADABLE = 'sk_v1_657f03ff304355ca45d464f8956f56f92a49b9c42d5bc5731dcab1561f361411.meta.json';

/** PicoClaw's own reading of a closed folder: each line one message, each metadata file its documented fields. */
function readAsPicoClaw(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.meta.json') && name !== UNREADABLE);
  return names.map((name) => {
    const meta = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const history = join(folder, name.replace(/\.meta\.json$/, '.jsonl'));
    const lines = existsSync(history)
      ? readFileSync(history, 'utf8')
          .split('\n')
          .filter((line) => line.trim() !== '')
      : [];
    return { name, meta, lines };
  });
}

test.each([
  ['a sessions folder itself', 'data', 'data'],
  ['a workspace with sessions inside', 'data', 'data/sessions'],
])(
  'a PicoClaw folder as data folder, %s: its sessions are shown and go on',
  async (_what, data, sessionsAt) => {
    const folder = temporaryFolder();
    const sessions = join(folder, sessionsAt);
    mkdirSync(sessions, { recursive: true });
    cpSync(join(fixture, 'sessions'), sessions, { recursive: true });
    const gateway = await startProgram(folder, { HOLDFAST_DATA: join(folder, data) });
    const client = clientOf(gateway.url);

    const listed = (await client.get('/api/sessions?limit=200')).sessions;
    expect(listed.map(({ key }: { key: string }) => key).toSorted()).toEqual(
      expected.sessions.map(({ key }) => key).toSorted(),
    );
    for (const { key, visible, summary, last } of expected.sessions) {
      const { session } = await client.get(`/api/sessions/${encodeURIComponent(key)}`);
      expect(session).toMatchObject({ key, active_count: visible, summary });
      const messages = await client.messages(key, 'active');
      expect(messages).toHaveLength(visible);
      if (last !== null) expect(messages.at(-1)?.content).toBe(last);
    }
    for (const [alias, key] of Object.entries(expected.resolve)) {
      expect((await client.get(`/api/sessions/${encodeURIComponent(alias)}`)).session.key).toBe(key);
    }

    // The same person goes on in the same topic, by the routed key alone.
    const reply = await client.inbound(
      { channel: 'telegram', chat_type: 'group', chat_id: '-1001234567890', topic_id: '42', sender_id: '99' },
      'what did I say?',
    );
    expect(reply.session_key).toBe(expected.resolve[FORUM]);
    expect(reply.reply).toContain('In this session you said');
    const byKey = await client.post('/api/chat', { text: 'and here?', session: 'agent:main:direct:user123' });
    expect(byKey.session_key).toBe('agent:main:direct:user123');
    expect(await gateway.end()).toBe(0);

    for (const { name, meta, lines } of readAsPicoClaw(sessions)) {
      expect(meta, name).toMatchObject({
        key: expect.any(String),
        summary: expect.any(String),
        skip: expect.any(Number),
        count: expect.any(Number),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
      const untouched = expected.sessions.find(({ key }) => key === meta.key);
      if (untouched && !('bad_lines' in untouched)) {
        for (const line of lines) expect(JSON.parse(line)).toMatchObject({ role: expect.any(String) });
      }
    }
    const forum = readAsPicoClaw(sessions).find(({ meta }) => meta.key === expected.resolve[FORUM]);
    expect(forum?.meta.count).toBe(forum?.lines.length);
    expect((forum?.meta.count ?? 0) - (forum?.meta.skip ?? 0)).toBe(6);

    const again = await holdfast(folder, ['sessions', 'show', FORUM, '--json'], {
      environment: { HOLDFAST_DATA: join(folder, data) },
    });
    expect(JSON.parse(again.stdout).session).toMatchObject({ channel: 'telegram', active_count: 6 });
  },
);
