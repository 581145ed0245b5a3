import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocate, parseAgentKey } from './index.js';

test.each([
  ['agent:Main:main', { agentId: 'main' }],
  ['agent:a:direct:7', { agentId: 'a', chatType: 'direct', peerId: '7' }],
  ['agent:a:dm:7', { agentId: 'a', chatType: 'direct', peerId: '7' }],
  ['agent:a:telegram:direct:7', { agentId: 'a', channel: 'telegram', chatType: 'direct', peerId: '7' }],
  [
    'agent:a:telegram:bot:direct:7',
    { agentId: 'a', channel: 'telegram', account: 'bot', chatType: 'direct', peerId: '7' },
  ],
  [
    'agent:a:telegram:group:-100/42',
    { agentId: 'a', channel: 'telegram', chatType: 'group', peerId: '-100/42' },
  ],
  [
    'agent:a:matrix:channel:!Room:Server.org',
    { agentId: 'a', channel: 'matrix', chatType: 'channel', peerId: '!room:server.org' },
  ],
  [
    'agent:a:slack:channel:c1:thread:9',
    { agentId: 'a', channel: 'slack', chatType: 'channel', peerId: 'c1:thread:9' },
  ],
  ['agent:a:pico:supergroup:9', { agentId: 'a', channel: 'pico', chatType: 'supergroup', peerId: '9' }],
  ['agent:a:direct:main', { agentId: 'a', chatType: 'direct', peerId: 'main' }],
  ['agent:a:cron:daily', { agentId: 'a' }],
  ['agent:a:subagent:5f', { agentId: 'a' }],
  [
    ' AGENT:Support Desk:x:group:1 ',
    { agentId: 'support-desk', channel: 'x', chatType: 'group', peerId: '1' },
  ],
])('reads %s', (text, key) => {
  const { rest, ...read } = parseAgentKey(text) ?? {};
  expect(read).toEqual(key);
  expect(text.trim().toLowerCase().endsWith(`:${rest}`)).toBe(true);
});

test.each([
  '',
  'agent',
  'agent:',
  'agent:a',
  'agent:a:',
  'agent::main',
  'agent: :x',
  'sk_v1_abc',
  'xagent:a:main',
])('does not take %j for a key', (text) => {
  expect(parseAgentKey(text)).toBeUndefined();
});

test('reads every alias of an allocation back to its agent and channel', () => {
  const context = { channel: 'telegram', chatId: '7', chatType: 'direct', senderId: 'u:1' };
  const policy = { dimensions: [], identityLinks: {} };
  for (const alias of allocate({ agentId: 'sales', context, policy }).sessionAliases) {
    expect(parseAgentKey(alias)).toMatchObject({ agentId: 'sales' });
    expect([undefined, 'telegram']).toContain(parseAgentKey(alias)?.channel);
  }
});

test('never throws, whatever the text', () => {
  const part = fc.constantFrom(
    'agent',
    ':',
    'direct',
    'dm',
    'group',
    'main',
    '',
    '\ud800',
    '\n',
    '__proto__',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(part).map((parts) => parts.join(':')),
      ),
      (text) => {
        const key = parseAgentKey(text);
        if (key !== undefined) expect(key.agentId).toMatch(/^[a-z0-9_-]{1,64}$/);
      },
    ),
  );
});
