import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdfast } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

interface Vector {
  readonly config: unknown;
  readonly inbound: unknown;
  readonly expected: Readonly<Record<string, unknown>>;
}
const { vectors } = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../packages/session-scope/test/vectors/session-keys.json'),
    'utf8',
  ),
) as { vectors: readonly Vector[] };

test('explain reproduces every vector byte for byte', async () => {
  const input = vectors.map(({ config, inbound }) => JSON.stringify({ config, inbound })).join('\n');
  const { code, stdout, stderr } = await holdfast(temporaryFolder(), ['explain'], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toHaveLength(vectors.length);
  for (const [index, { expected }] of vectors.entries()) {
    const { warnings, ...result } = results[index];
    expect(Array.isArray(warnings)).toBe(true);
    expect(Object.keys(result)).toEqual([
      'agent_id',
      'matched_by',
      'channel',
      'account',
      'dimensions',
      'scope',
      'signature',
      'session_key',
      'aliases',
      'main_key',
      'main_aliases',
    ]);
    for (const [name, value] of Object.entries(expected)) {
      expect(JSON.stringify(result[name]), `vector ${index}, ${name}`).toBe(JSON.stringify(value));
    }
  }
});

test('explain reads bare contexts under the configured policy, and says which line is wrong', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'holdfast.config.json5'),
    `{ session: { dimensions: ['chat', 'sender'] }, agents: { list: [{ id: 'main' }, { id: 'night' }],
       dispatch: { rules: [{ name: 'owls', agent: 'night', when: { chat: 'group:9' } }] } } }`,
  );
  const config = ['--config', join(folder, 'holdfast.config.json5')];
  const context = { channel: 'telegram', chat_type: 'group', chat_id: 9, sender_id: 'Anna' };
  const good = await holdfast(folder, ['explain', ...config], { input: `\n${JSON.stringify(context)}\n` });
  expect(JSON.parse(good.stdout)).toMatchObject({
    agent_id: 'night',
    matched_by: 'dispatch.rule:owls',
    dimensions: ['chat', 'sender'],
    scope: { values: { chat: 'group:9', sender: 'anna' } },
  });
  const bad = await holdfast(folder, ['explain', ...config], {
    input: `${JSON.stringify(context)}\n{"channel"`,
  });
  expect(bad.code).toBe(1);
  expect(bad.stderr).toBe('Line 2 of the input is not JSON.\n');
  const warned = await holdfast(folder, ['explain'], {
    input: JSON.stringify({ config: { session: { dimensions: ['chat', 'mood'] } }, inbound: context }),
  });
  expect(JSON.parse(warned.stdout)).toMatchObject({
    dimensions: ['chat'],
    warnings: [expect.stringContaining('mood')],
  });
});

test('what is in a line of input is judged by that line alone', async () => {
  const folder = temporaryFolder();
  const context = { channel: 'irc', chat_id: 'a\u2028b', chat_type: 'group' };
  const read = await holdfast(folder, ['explain', '--json'], {
    input: `\uFEFF${JSON.stringify(context)}\r\n`,
  });
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(read.stdout)).toMatchObject({ scope: { values: { chat: 'group:a\u2028b' } } });

  const wrong = [{ inbound: context }, { inbound: context, config: { session: { dimensions: 'chat' } } }];
  const refused = await holdfast(folder, ['explain'], {
    input: wrong.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(refused.code).toBe(1);
  expect(refused.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(refused.stderr).toMatch(/^Line 2 of the input: config: session\.dimensions: .+\n$/);
});
