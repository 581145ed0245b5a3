import { expect, test } from 'vitest';
import {
  buildScope,
  type Dimension,
  describeInbound,
  encodeScope,
  type InboundContext,
  parseScope,
  ScopeError,
  type ScopePolicy,
} from './index.js';

const policy = (dimensions: ScopePolicy['dimensions'], more: Partial<ScopePolicy> = {}): ScopePolicy => ({
  dimensions,
  identityLinks: {},
  ...more,
});

const forum: InboundContext = {
  channel: 'Telegram',
  chatId: '-1001234567890',
  chatType: 'Group',
  topicId: '42',
  senderId: 'Ann',
};

test('builds dimensions in the order of the policy and leaves out what the message lacks', () => {
  const context = { ...forum, channel: 'slack', spaceId: ' T1 ', spaceType: 'Workspace' };
  expect(buildScope('Main', context, policy(['sender', 'topic', 'space', 'chat']))).toEqual({
    version: 1,
    agentId: 'main',
    channel: 'slack',
    account: 'default',
    dimensions: ['sender', 'topic', 'space', 'chat'],
    values: {
      sender: 'ann',
      topic: 'topic:42',
      space: 'workspace:t1',
      chat: 'group:-1001234567890',
    },
  });
  expect(buildScope('', { channel: ' ' }, policy(['space', 'chat', 'topic', 'sender']))).toEqual({
    version: 1,
    agentId: 'main',
    channel: 'unknown',
    account: 'default',
    dimensions: [],
    values: {},
  });
});

test('keeps the topics of a Telegram forum apart', () => {
  const chat = (context: InboundContext, dimensions: ScopePolicy['dimensions']) =>
    buildScope('main', context, policy(dimensions)).values.chat;
  expect(chat(forum, ['chat'])).toBe('group:-1001234567890/42');
  expect(chat(forum, ['chat', 'topic'])).toBe('group:-1001234567890');
  expect(chat({ ...forum, topicId: ' ' }, ['chat'])).toBe('group:-1001234567890');
  expect(chat({ ...forum, channel: 'discord' }, ['chat'])).toBe('group:-1001234567890');
});

test('does not split a private Telegram chat by its threads, unless the policy says topic', () => {
  const chatOf = (dimensions: readonly Dimension[]) =>
    buildScope('main', { ...forum, chatType: ' Direct ', chatId: '77' }, policy(dimensions)).values;
  expect(chatOf(['chat'])).toEqual({ chat: 'direct:77' });
  expect(chatOf(['chat', 'topic'])).toEqual({ chat: 'direct:77', topic: 'topic:42' });
});

test('shows rules the forum chat by both of its names', () => {
  expect(describeInbound(forum, policy([]))).toMatchObject({
    chat: 'group:-1001234567890',
    forumChat: 'group:-1001234567890/42',
    topic: 'topic:42',
    sender: 'ann',
    isSenderLinked: false,
    mentioned: false,
  });
});

test('uses each dimension once', () => {
  expect(buildScope('main', forum, policy(['chat', 'chat'])).dimensions).toEqual(['chat']);
});

test('keeps the case of ids, and only of ids, on the channels named', () => {
  const context = { ...forum, channel: 'Matrix', chatId: '!AbC:Example.org', topicId: '$Ev' };
  const sensitive = policy(['chat', 'topic', 'sender'], { caseSensitiveChannels: ['matrix'] });
  expect(buildScope('Main', context, sensitive)).toMatchObject({
    agentId: 'main',
    channel: 'matrix',
    values: { chat: 'group:!AbC:Example.org', topic: 'topic:$Ev', sender: 'Ann' },
    caseSensitive: true,
  });
  expect(buildScope('Main', { ...context, channel: 'irc' }, sensitive)).not.toHaveProperty('caseSensitive');
});

test('reads what it wrote, and what PicoClaw wrote', () => {
  const scope = buildScope('main', forum, policy(['chat'], { caseSensitiveChannels: ['telegram'] }));
  expect(encodeScope(scope)).toMatchObject({ agent_id: 'main', case_sensitive: true });
  expect(parseScope(JSON.parse(JSON.stringify(encodeScope(scope))))).toEqual(scope);
  const empty = {
    version: 1,
    agent_id: 'main',
    channel: 'cli',
    account: 'default',
    dimensions: null,
    values: null,
  };
  expect(parseScope(empty)).toMatchObject({ dimensions: [], values: {} });
});

test.each([
  [undefined, ''],
  [{ version: 2 }, 'version'],
  [
    { version: 1, agent_id: 'a', channel: 'b', account: 'c', dimensions: ['chat=x|sender'], values: {} },
    'dimensions.0',
  ],
  [
    { version: 1, agent_id: 'a', channel: 'b', account: 'c', dimensions: [], values: { chat: 1 } },
    'values.chat',
  ],
])('refuses the scope %j', (value, path) => {
  let refusal: unknown;
  try {
    parseScope(value);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(ScopeError);
  expect(refusal).toMatchObject({ code: 'InvalidScope', path });
});
