import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allocate,
  buildScope,
  type InboundContext,
  mainSessionKey,
  type ScopePolicy,
  sessionKey,
} from './index.js';

const chat: ScopePolicy = { dimensions: ['chat'], identityLinks: {} };
const direct: InboundContext = {
  channel: 'Telegram',
  account: 'Bot',
  chatId: '7',
  chatType: 'Direct',
  senderId: 'U1',
};

test('names a direct chat by its people and its chat, in every older form', () => {
  const policy = { ...chat, identityLinks: { Ann: ['telegram:u1'] } };
  expect(allocate({ agentId: 'Sales', context: direct, policy })).toMatchObject({
    origin: 'routed',
    mainSessionKey: mainSessionKey('sales'),
    mainAliases: ['agent:sales:main'],
    sessionAliases: [
      'agent:sales:main',
      ...['u1', 'ann', '7'].flatMap((peer) => [
        `agent:sales:direct:${peer}`,
        `agent:sales:telegram:direct:${peer}`,
        `agent:sales:telegram:bot:direct:${peer}`,
      ]),
    ],
  });
});

test.each([
  [{ channel: 'irc', chatId: '#Ops', chatType: 'Channel' }, ['agent:a:irc:channel:#ops']],
  [{ channel: 'slack', chatId: 'C1', chatType: 'group', topicId: '5.6' }, ['agent:a:slack:group:c1/5.6']],
  [{ channel: 'cli', chatId: '1' }, ['agent:a:cli:unknown:1']],
  [{ channel: '', chatType: 'group', topicId: '1' }, []],
  [{ channel: 'x', chatType: 'direct' }, []],
  [{ channel: 'x', chatType: 'group', chatId: 'y'.repeat(1024) }, []],
  [{ channel: 'x', chatType: 'group', chatId: '\ud800' }, []],
  [{ channel: 'x', chatType: 'group', chatId: 'a\0b' }, []],
])('gives %j the aliases %j beside the main one', (context, aliases) => {
  expect(allocate({ agentId: 'a', context, policy: chat }).sessionAliases).toEqual([
    'agent:a:main',
    ...aliases,
  ]);
});

test('keeps a key that a message brings along, and claims none of the chat names for it', () => {
  const routed = allocate({ agentId: 'main', context: direct, policy: chat });
  const kept = allocate({
    agentId: 'main',
    context: direct,
    policy: chat,
    requestedKey: ' Agent:Main:web:Direct:X ',
  });
  expect(kept).toMatchObject({
    origin: 'explicit',
    sessionKey: 'agent:main:web:direct:x',
    sessionAliases: [],
    scope: routed.scope,
    mainSessionKey: routed.mainSessionKey,
  });
  expect(allocate({ agentId: 'main', context: direct, policy: chat, requestedKey: 'my notes' })).toEqual(
    routed,
  );
});

test('follows a main alias to the main session of the agent it names', () => {
  expect(
    allocate({ agentId: 'a', context: direct, policy: chat, requestedKey: 'agent:B:main' }),
  ).toMatchObject({
    origin: 'explicit',
    sessionKey: mainSessionKey('b'),
    sessionAliases: ['agent:b:main'],
    mainSessionKey: mainSessionKey('a'),
  });
});

test('finds the folded history of a channel that has become case-sensitive', () => {
  const context = { channel: 'signal', chatType: 'group', chatId: 'AbC=' };
  const before = allocate({ agentId: 'main', context, policy: chat });
  const after = allocate({
    agentId: 'main',
    context,
    policy: { ...chat, caseSensitiveChannels: ['signal'] },
  });
  expect(after.sessionKey).not.toBe(before.sessionKey);
  expect(after.sessionAliases).toEqual([
    'agent:main:main',
    before.sessionKey,
    'agent:main:signal:group:abc=',
  ]);
  const other = allocate({
    agentId: 'main',
    context: { ...context, chatId: 'aBc=' },
    policy: { ...chat, caseSensitiveChannels: ['signal'] },
  });
  expect(other.sessionKey).not.toBe(after.sessionKey);
});

test('keeps people and topics apart or together as the policy says', () => {
  const group = { channel: 'telegram', chatId: '-100', chatType: 'group' };
  const key = (context: InboundContext, dimensions: ScopePolicy['dimensions']) =>
    allocate({ agentId: 'main', context, policy: { dimensions, identityLinks: {} } }).sessionKey;
  const ann = { ...group, senderId: 'ann' };
  const bo = { ...group, senderId: 'bo' };
  expect(key(ann, ['chat'])).toBe(key(bo, ['chat']));
  expect(key(ann, ['chat', 'sender'])).not.toBe(key(bo, ['chat', 'sender']));
  expect(key({ ...ann, topicId: '1' }, ['chat'])).not.toBe(key({ ...ann, topicId: '2' }, ['chat']));
  expect(key({ ...ann, topicId: '1' }, ['chat'])).not.toBe(key(ann, ['chat']));
});

const word = fc.oneof(
  fc.constantFrom('a', 'A ', '', '|', ':', '\ud800', '\0', '7', 'main', 'direct', 'İ'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const requests = fc.record(
  {
    agentId: word,
    context: fc.record(
      {
        channel: fc.oneof(word, fc.constant('telegram')),
        account: word,
        chatId: word,
        chatType: fc.oneof(word, fc.constant('direct')),
        topicId: word,
        spaceId: word,
        spaceType: word,
        senderId: word,
      },
      { requiredKeys: ['channel'] },
    ),
    policy: fc.record(
      {
        dimensions: fc.shuffledSubarray(['space', 'chat', 'topic', 'sender'] as const),
        identityLinks: fc.dictionary(word, fc.array(word, { maxLength: 3 }), { maxKeys: 3 }),
        caseSensitiveChannels: fc.array(word, { maxLength: 2 }),
      },
      { requiredKeys: ['dimensions', 'identityLinks'] },
    ),
    requestedKey: fc.oneof(
      word,
      word.map((rest) => `agent:${rest}`),
    ),
  },
  { requiredKeys: ['agentId', 'context', 'policy'] },
);

test('is pure: leaves a frozen request alone and gives the same twice', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const copy = structuredClone(request);
      const allocation = allocate(deepFreeze(request));
      expect(allocate(request)).toEqual(allocation);
      expect(allocate(copy)).toEqual(allocation);
      expect(request).toEqual(copy);
    }),
  );
});

test('names each alias once, folded, and never the session itself', () => {
  fc.assert(
    fc.property(requests, ({ requestedKey: _, ...request }) => {
      const allocation = allocate(request);
      expect(new Set(allocation.sessionAliases).size).toBe(allocation.sessionAliases.length);
      expect(allocation.sessionAliases).not.toContain(allocation.sessionKey);
      expect(allocation.sessionKey).toBe(sessionKey(allocation.scope));
      expect(allocation.scope).toEqual(buildScope(request.agentId, request.context, request.policy));
      for (const alias of allocation.sessionAliases) {
        expect(alias.length).toBeLessThanOrEqual(1024);
        expect(alias).not.toMatch(/\0|\p{Surrogate}/u);
        expect(alias).toMatch(/^(?:agent:|sk_v1_[0-9a-f]{64}$)/);
      }
    }),
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
