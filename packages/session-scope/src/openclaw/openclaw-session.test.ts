import { expect, test } from 'vitest';
import { sessionKey } from '../session-key.js';
import {
  openclawAliases,
  openclawKeyOfScope,
  openclawSession,
  parseOpenclawKey,
  scopeOfOpenclawKey,
} from './index.js';

const direct = { channel: 'telegram', chatType: 'direct', chatId: '123', senderId: '123' };
const policies = ['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'] as const;

test.each([
  [policies[0], 'agent:main:main'],
  [policies[1], 'agent:main:direct:123'],
  [policies[2], 'agent:main:telegram:direct:123'],
  [policies[3], 'agent:main:telegram:default:direct:123'],
])('a direct message under %s', (dmScope, key) => {
  expect(openclawSession({ agentId: 'main', context: direct, policy: { dmScope } })).toBe(key);
});

test('each scope tells apart what it says: two channels, accounts and people', () => {
  const count = (dmScope: (typeof policies)[number]) => {
    const keys = new Set<string>();
    for (const channel of ['telegram', 'slack'])
      for (const account of ['work', 'home'])
        for (const senderId of ['1', '2'])
          keys.add(
            openclawSession({
              agentId: 'main',
              context: { channel, account, senderId },
              policy: { dmScope },
            }),
          );
    return keys.size;
  };
  expect(policies.map(count)).toEqual([1, 2, 4, 8]);
});

test('what decides comes in order: the key that was brought along, the global scope, the group, the main key', () => {
  const decide = (context: object, policy: object, requestedKey?: string) =>
    openclawSession({ agentId: 'Ops', context: { channel: 'discord', ...context }, policy, requestedKey });
  const group = { chatType: 'group', chatId: 'G1', senderId: '7' };
  expect(decide(group, { scope: 'global' }, ' Telegram:Group:5 ')).toBe('agent:ops:telegram:group:5');
  expect(decide(group, { scope: 'global' })).toBe('global');
  expect(decide(group, {})).toBe('agent:ops:discord:group:g1');
  expect(decide({ ...group, chatType: 'supergroup' }, {})).toBe('agent:ops:discord:group:g1');
  expect(decide(group, { groupScope: 'main', mainKey: ' Home ' })).toBe('agent:ops:home');
  expect(decide({ ...group, chatId: '' }, {})).toBe('agent:ops:discord:group:unknown');
  expect(decide({ senderId: '7' }, { mainKey: '' })).toBe('agent:ops:main');
  expect(decide({ senderId: ' ' }, { dmScope: 'per-peer' })).toBe('agent:ops:main');
  expect(decide({ chatType: 'direct', chatId: 'any', senderId: '' }, { dmScope: 'main' })).toBe(
    'agent:ops:main',
  );
  expect(decide({ channel: '', senderId: '7' }, { dmScope: 'per-channel-peer' })).toBe(
    'agent:ops:unknown:direct:7',
  );
});

test('topics and threads have sessions of their own, unless a group is to have one', () => {
  const topic = { channel: 'telegram', chatType: 'group', chatId: '-100', topicId: '42' };
  const thread = { channel: 'slack', chatType: 'channel', chatId: 'C1', topicId: '17.5' };
  const keys = (topicScope: 'topic' | 'group') =>
    [topic, { ...topic, topicId: '' }, thread, { ...direct, topicId: '9' }].map((context) =>
      openclawSession({ agentId: 'main', context, policy: { topicScope } }),
    );
  expect(keys('topic')).toEqual([
    'agent:main:telegram:group:-100:topic:42',
    'agent:main:telegram:group:-100',
    'agent:main:slack:channel:c1:thread:17.5',
    'agent:main:main:thread:9',
  ]);
  expect(keys('group')).toEqual([
    'agent:main:telegram:group:-100',
    'agent:main:telegram:group:-100',
    'agent:main:slack:channel:c1',
    'agent:main:main',
  ]);
});

test('a linked person has one name in every scope but main', () => {
  const identityLinks = { Canon: ['wecom:u1', 'telegram:123'] };
  const keyOf = (dmScope: (typeof policies)[number], channel: string, senderId: string) =>
    openclawSession({ agentId: 'main', context: { channel, senderId }, policy: { dmScope, identityLinks } });
  expect(keyOf('per-channel-peer', 'wecom', 'U1')).toBe('agent:main:wecom:direct:canon');
  expect(keyOf('per-peer', 'wecom', 'U1')).toBe(keyOf('per-peer', 'telegram', '123'));
  expect(keyOf('main', 'wecom', 'U1')).toBe('agent:main:main');
});

test('ids of Signal groups and Matrix rooms keep their case', () => {
  const keyOf = (channel: string, chatId: string) =>
    openclawSession({ agentId: 'main', context: { channel, chatType: 'group', chatId }, policy: {} });
  expect(keyOf('signal', 'AbC+/d=')).toBe('agent:main:signal:group:AbC+/d=');
  expect(keyOf('matrix', '!RoOm:Ex.org')).toBe('agent:main:matrix:group:!RoOm:Ex.org');
  expect(keyOf('discord', 'AbC')).toBe('agent:main:discord:group:abc');
});

test.each([
  ['agent:main:telegram:direct:123', { sender: '123' }],
  ['agent:main:telegram:work:direct:123', { sender: '123' }],
  ['agent:main:telegram:group:-100', { chat: 'group:-100' }],
  ['agent:main:telegram:group:-100:topic:42', { chat: 'group:-100', topic: 'topic:42' }],
  ['agent:main:slack:channel:c1:thread:17.5', { chat: 'channel:c1', topic: 'topic:17.5' }],
  ['agent:main:matrix:room:!R:x:thread:$E', { chat: 'room:!R:x', topic: 'topic:$E' }],
])('%s means a scope, which means that key', (key, values) => {
  const scope = scopeOfOpenclawKey(key);
  expect(scope?.values).toEqual(values);
  expect(scope && openclawKeyOfScope(scope)).toBe(key);
  expect(scope && sessionKey(scope)).toMatch(/^sk_v1_/);
});

test.each(['agent:main:main', 'agent:main:direct:ann', 'cron:x', 'global', 'agent:a:subagent:1', 'nonsense'])(
  '%s is no conversation of one channel',
  (key) => {
    expect(scopeOfOpenclawKey(key)).toBeUndefined();
  },
);

test('a scope that OpenClaw cannot tell apart has no key there', () => {
  const scope = { version: 1, agentId: 'a', channel: 'x', account: 'default' } as const;
  const keyOf = (values: Record<string, string>) =>
    openclawKeyOfScope({ ...scope, dimensions: Object.keys(values), values });
  expect(keyOf({})).toBe('agent:a:main');
  expect(keyOf({ chat: 'direct:7', sender: '9' })).toBe('agent:a:x:direct:9');
  expect(keyOf({ chat: 'group:7', sender: '9' })).toBeUndefined();
  expect(keyOf({ space: 'guild:7', chat: 'group:1' })).toBeUndefined();
});

test('the keys that a message may be known by are those of its own conversation', () => {
  const policy = { dimensions: ['chat'] as const, identityLinks: { ann: ['telegram:123'] } };
  expect(openclawAliases('main', direct, policy)).toEqual([
    'agent:main:telegram:default:direct:123',
    'agent:main:telegram:direct:123',
    'agent:main:direct:123',
    'agent:main:telegram:default:direct:ann',
    'agent:main:telegram:direct:ann',
    'agent:main:direct:ann',
  ]);
  const topic = { channel: 'telegram', chatType: 'group', chatId: '-100', topicId: '42' };
  expect(openclawAliases('main', topic, policy)[0]).toBe('agent:main:telegram:group:-100:topic:42');
  expect(openclawAliases('main', topic, policy)).not.toContain('agent:main:telegram:group:-100');
  const thread = { channel: 'slack', chatType: 'channel', chatId: 'C1', topicId: '9' };
  expect(openclawAliases('main', thread, policy)[0]).toBe('agent:main:slack:channel:c1');
  expect(openclawAliases('main', thread, { ...policy, dimensions: ['chat', 'topic'] })[0]).toBe(
    'agent:main:slack:channel:c1:thread:9',
  );
  const room = { channel: 'matrix', chatType: 'room', chatId: '!R:x' };
  expect(openclawAliases('main', room, policy)).toContain('agent:main:matrix:room:!R:x');
  expect(openclawAliases('main', { channel: 'x', chatType: 'group' }, policy)).toEqual([]);
  for (const context of [direct, topic, thread, room])
    for (const alias of openclawAliases('main', context, policy))
      expect(['direct', 'group']).toContain(parseOpenclawKey(alias)?.kind);
});
