import { allocate, buildScope, type InboundContext } from '@x/session-scope';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRouter, parseRoutingConfig, readRoutingConfig } from './index.js';

const routerFor = (rules: readonly unknown[], session: unknown = {}) =>
  createRouter(parseRoutingConfig({ session, agents: { dispatch: { rules } } }));

const forum: InboundContext = {
  channel: 'Telegram',
  account: 'Bot_2',
  chatId: '-100',
  chatType: 'Group',
  topicId: '42',
  spaceId: 'G1',
  spaceType: 'Guild',
  senderId: 'Ann',
  mentioned: true,
};

test('lets the first rule win whose constraints are all met', () => {
  const router = routerFor([
    { agent: 'a', when: { channel: 'telegram', sender: 'bo' } },
    { name: 'VIP', agent: 'b', when: { sender: ' ANN ' } },
    { agent: 'c', when: { channel: 'telegram' } },
  ]);
  expect(router.route(forum)).toMatchObject({ agentId: 'b', matchedBy: 'dispatch.rule:vip' });
  expect(router.route({ ...forum, senderId: 'cy' })).toMatchObject({
    agentId: 'c',
    matchedBy: 'dispatch.rule',
  });
  expect(router.route({ channel: 'cli' })).toMatchObject({ agentId: 'main', matchedBy: 'default' });
});

test.each([
  [{ channel: 'TELEGRAM' }, true],
  [{ account: 'bot_2' }, true],
  [{ account: 'default' }, false],
  [{ space: 'guild:g1' }, true],
  [{ space: 'g1' }, false],
  [{ topic: 'topic:42' }, true],
  [{ topic: '42' }, false],
  [{ sender: 'ann' }, true],
  [{ mentioned: true }, true],
  [{ mentioned: false }, false],
  [{ chat: 'group:-100' }, true],
  [{ chat: 'Group:-100/42' }, true],
  [{ chat: 'group:-100/43' }, false],
  [{ chat: 'group:-100', mentioned: false }, false],
])('of a message in a forum topic, the rule %j holds: %s', (when, holds) => {
  expect(routerFor([{ agent: 'x', when }]).route(forum).agentId).toBe(holds ? 'x' : 'main');
});

test('matches the forum chat that an operator reads in the metadata, and the plain chat too', () => {
  const policy = { dimensions: ['chat' as const], identityLinks: {} };
  const inMetadata = buildScope('main', forum, policy).values.chat;
  expect(inMetadata).toBe('group:-100/42');
  for (const chat of [inMetadata, 'group:-100']) {
    expect(routerFor([{ agent: 'forum', when: { chat } }]).route(forum).agentId).toBe('forum');
  }
});

test('lets a rule without account match every account', () => {
  const router = routerFor([{ agent: 'x', when: { channel: 'telegram' } }]);
  for (const account of ['bot_2', 'default', '']) {
    expect(router.route({ ...forum, account }).agentId).toBe('x');
  }
});

test('takes the dimensions of the rule, and the links of all', () => {
  const router = routerFor([{ agent: 'x', when: { sender: 'anna' }, session_dimensions: ['sender'] }], {
    dimensions: ['chat'],
    identity_links: { Anna: ['telegram:ann'] },
  });
  expect(router.route(forum).policy).toEqual({
    dimensions: ['sender'],
    identityLinks: { Anna: ['telegram:ann'] },
  });
  expect(router.route({ ...forum, senderId: 'bo' }).policy.dimensions).toEqual(['chat']);
});

test('answers as the default agent: the one marked, else the first, else main', () => {
  const agentOf = (list: readonly unknown[]) =>
    createRouter(readRoutingConfig({ agents: { list } }).config).route(forum).agentId;
  expect(agentOf([{ id: 'a' }, { id: 'B', default: true }])).toBe('b');
  expect(agentOf([{ id: 'A' }, { id: 'b' }])).toBe('a');
  expect(agentOf([{ id: ' ', default: true }, { id: 'b' }])).toBe('main');
  expect(agentOf([])).toBe('main');
});

test('compares ids exactly on the channels where case matters', () => {
  const router = routerFor(
    [
      { agent: 'room', when: { chat: 'Group:AbC' } },
      { agent: 'linked', when: { sender: 'ANNA' } },
      { agent: 'raw', when: { sender: 'Bo' } },
    ],
    { case_sensitive_channels: ['signal'], identity_links: { Anna: ['signal:Xx'] } },
  );
  const agentOf = (context: Partial<InboundContext>) =>
    router.route({ channel: 'signal', ...context }).agentId;
  expect(agentOf({ chatType: 'group', chatId: 'AbC' })).toBe('room');
  expect(agentOf({ chatType: 'group', chatId: 'abc' })).toBe('main');
  expect(agentOf({ chatType: 'group', chatId: 'abc', channel: 'irc' })).toBe('room');
  expect(agentOf({ senderId: 'Xx' })).toBe('linked');
  expect(agentOf({ senderId: 'Bo' })).toBe('raw');
  expect(agentOf({ senderId: 'bo' })).toBe('main');
});

test('explains each rule that was tried by the first field that missed', () => {
  const router = routerFor([
    { agent: 'a', when: { channel: 'slack' } },
    { name: 'elsewhere', agent: 'a', when: { channel: 'telegram', chat: 'group:-7' } },
    { agent: 'a', when: { mentioned: false } },
    { name: 'topic', agent: 'b', when: { topic: 'topic:42' } },
    { agent: 'c', when: { sender: 'ann' } },
  ]);
  const { decision, view, tried } = router.explain(forum);
  expect(decision).toBe(router.route(forum));
  expect(view).toMatchObject({ channel: 'telegram', forumChat: 'group:-100/42' });
  expect(tried).toEqual([
    { index: 0, missed: { field: 'channel', expected: 'slack', found: ['telegram'] } },
    {
      index: 1,
      name: 'elsewhere',
      missed: { field: 'chat', expected: 'group:-7', found: ['group:-100', 'group:-100/42'] },
    },
    { index: 2, missed: { field: 'mentioned', expected: false, found: [true] } },
    { index: 3, name: 'topic' },
  ]);
  expect(router.explain({ channel: 'x', mentioned: true }).tried).toHaveLength(5);
  expect(router.explain({ channel: 'x', mentioned: true }).tried[1]?.missed).toMatchObject({
    field: 'channel',
    found: ['x'],
  });
});

const word = fc.oneof(
  fc.constantFrom('a', 'B', '', '7', '|', ':', 'telegram'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const contexts = fc.record(
  {
    channel: word,
    account: word,
    chatId: word,
    chatType: word,
    topicId: word,
    spaceId: word,
    senderId: word,
    mentioned: fc.boolean(),
  },
  { requiredKeys: ['channel'] },
);
const configs = fc.record({
  session: fc.record({
    dimensions: fc.array(fc.constantFrom('space', 'chat', 'topic', 'sender', 'x'), { maxLength: 4 }),
    identity_links: fc.dictionary(word, fc.array(word, { maxLength: 2 }), { maxKeys: 3 }),
  }),
  agents: fc.record({
    list: fc.array(fc.record({ id: word, default: fc.boolean() }), { maxLength: 3 }),
    dispatch: fc.record({
      rules: fc.array(
        fc.record({
          name: word,
          agent: word,
          when: fc.record(
            { channel: word, account: word, chat: word, sender: word, mentioned: fc.boolean() },
            { requiredKeys: [] },
          ),
        }),
        { maxLength: 4 },
      ),
    }),
  }),
});

test('decides every message, the same way twice, with an agent that exists', () => {
  fc.assert(
    fc.property(configs, contexts, (written, context) => {
      const { config } = readRoutingConfig(written);
      const router = createRouter(config);
      const decision = router.route(context);
      expect(createRouter(config).route(structuredClone(context))).toEqual(decision);
      expect(router.explain(context).decision).toEqual(decision);
      if (config.agentIds.length > 0) expect([...config.agentIds, 'main']).toContain(decision.agentId);
      expect(allocate({ agentId: decision.agentId, context, policy: decision.policy }).scope.agentId).toBe(
        decision.agentId,
      );
    }),
  );
});

test('matches a rule written from the values of any scope', () => {
  fc.assert(
    fc.property(contexts, fc.constantFrom('space', 'chat', 'topic', 'sender'), (context, dimension) => {
      const policy = { dimensions: [dimension], identityLinks: {} };
      const scope = buildScope('main', context, policy as never);
      const when = { channel: scope.channel, account: scope.account, ...scope.values };
      expect(routerFor([{ agent: 'x', when }]).route(context).agentId).toBe('x');
    }),
  );
});
