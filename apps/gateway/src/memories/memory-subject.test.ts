import { allocate, type Dimension, type InboundContext } from '@x/session-scope';
import { expect, test } from 'vitest';
import { memorySubjects } from './memory-subject.js';

const links = { Ann: ['telegram:1', 'slack:U7'] };
const telegram: InboundContext = { channel: 'telegram', chatType: 'direct', chatId: '1', senderId: '1' };
const slack: InboundContext = { channel: 'Slack', chatType: 'direct', chatId: 'D9', senderId: 'u7' };
const group: InboundContext = { channel: 'telegram', chatType: 'group', chatId: '-5', senderId: '1' };
const stranger: InboundContext = { channel: 'discord', chatType: 'direct', chatId: 'X', senderId: '1' };

function subjects(context: InboundContext, dimensions: readonly Dimension[], identityLinks = links) {
  const policy = { dimensions, identityLinks };
  return memorySubjects(context, policy, allocate({ agentId: 'main', context, policy }));
}

test.each<[string, InboundContext, Dimension[], readonly unknown[]]>([
  ['a linked person in private', telegram, ['chat'], ['person:ann', 'sender:telegram:1']],
  ['the same on another channel', slack, ['chat'], ['person:ann', 'sender:slack:u7']],
  ['somebody without a link', stranger, ['chat'], ['sender:discord:1']],
  ['a private chat by sender', telegram, ['sender'], ['person:ann', 'sender:telegram:1']],
  ['a group', group, ['chat'], [expect.stringMatching(/^session:sk_v1_/)]],
  ['a group, each person apart', group, ['chat', 'sender'], [expect.stringMatching(/^session:sk_v1_/)]],
  ['one session of a person everywhere', group, ['sender'], ['person:ann', 'sender:telegram:1']],
  ['a session that all share', telegram, [], [expect.stringMatching(/^session:sk_v1_/)]],
  ['nobody known', { ...telegram, senderId: ' ' }, ['chat'], [expect.stringMatching(/^session:sk_v1_/)]],
])(
  'is the person where nobody else reads, and the session everywhere else: %s',
  (_, context, dimensions, expected) => {
    expect(subjects(context, dimensions)).toEqual(expected);
  },
);

test('is the session where somebody speaks in the session of another, or of another channel', () => {
  const policy = { dimensions: ['chat' as const], identityLinks: links };
  const anns = allocate({ agentId: 'main', context: telegram, policy });
  const others = [
    { ...telegram, chatId: '2', senderId: '2' },
    { channel: 'web', chatType: 'direct', chatId: 'default', senderId: 'web' },
    { ...telegram, account: 'second' },
  ];
  for (const context of others) {
    expect(memorySubjects(context, policy, anns)).toEqual([`session:${anns.sessionKey}`]);
  }
  expect(memorySubjects(telegram, policy, { sessionKey: 'agent:main:x' })).toEqual(['session:agent:main:x']);
});

test('is one person on the page, whatever the session is called', () => {
  const policy = { dimensions: ['chat' as const], identityLinks: {} };
  const context: InboundContext = { channel: 'web', chatType: 'direct', chatId: 'default', senderId: 'web' };
  const named = allocate({ agentId: 'main', context: { ...context, chatId: 'holiday' }, policy });
  expect(memorySubjects(context, policy, named)).toEqual(['sender:web:web']);
});

test('no id is taken for the canonical name of somebody else, and no channel runs into an id', () => {
  const posing: InboundContext = { ...telegram, chatId: 'ann', senderId: 'ann' };
  expect(subjects(posing, ['chat'])).toEqual(['sender:telegram:ann']);
  const one = subjects({ ...telegram, channel: 'a:b', senderId: 'c' }, ['chat'], { Ann: [] });
  const other = subjects({ ...telegram, channel: 'a', senderId: 'b:c' }, ['chat'], { Ann: [] });
  expect(one).not.toEqual(other);
});
