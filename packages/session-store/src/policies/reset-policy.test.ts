import { buildScope, type InboundContext } from '@x/session-scope';
import { expect, it, test } from 'vitest';
import { newMeta } from '../index.js';
import { chatKind, dueReset, type ResetPolicy, resetRule } from './reset-policy.js';

const at = '2026-06-01T10:00:00.000Z';
const utc = { timeZone: 'UTC', activity: 'person' } as const;
const policy: ResetPolicy = {
  base: utc,
  byKind: { group: { ...utc, idleMinutes: 60 }, thread: { ...utc, idleMinutes: 5 } },
  byChannel: { discord: { ...utc, dailyAtHour: 4 } },
};
type Dimensions = Parameters<typeof buildScope>[2]['dimensions'];

function scoped(context: InboundContext, dimensions: Dimensions = ['chat']) {
  return newMeta('sk', { scope: buildScope('main', context, { dimensions, identityLinks: {} }) }, at);
}

test.each([
  ['a direct chat', scoped({ channel: 'slack', chatType: 'direct', chatId: 'D1' }), 'direct'],
  ['a group', scoped({ channel: 'telegram', chatType: 'group', chatId: '-100' }), 'group'],
  ['a channel', scoped({ channel: 'slack', chatType: 'channel', chatId: 'C1' }), 'group'],
  [
    'a topic of a forum',
    scoped({ channel: 'telegram', chatType: 'group', chatId: '-100', topicId: '7' }),
    'thread',
  ],
  [
    'a thread apart',
    scoped({ channel: 'slack', chatType: 'channel', chatId: 'C1', topicId: '1.2' }, ['chat', 'topic']),
    'thread',
  ],
  [
    'a thread of a shared session',
    scoped({ channel: 'slack', chatType: 'channel', chatId: 'C1', topicId: '1.2' }),
    'group',
  ],
  ['an id with a slash', scoped({ channel: 'signal', chatType: 'group', chatId: 'ab+/d=' }), 'group'],
  ['a session over all chats', scoped({ channel: 'slack', chatType: 'group', chatId: 'C1' }, []), 'direct'],
  ['an older key of a person', newMeta('agent:main:telegram:direct:77', {}, at), 'direct'],
  ['an older key of a group', newMeta('agent:main:telegram:group:-100', {}, at), 'group'],
  ['an older key of a topic', newMeta('agent:main:telegram:group:-100:topic:7', {}, at), 'thread'],
  ['a main session', newMeta('agent:main:main', {}, at), 'direct'],
  ['a name', newMeta('notes', {}, at), 'direct'],
])('%s is of its kind', (_what, session, kind) => {
  expect(chatKind(session)).toBe(kind);
});

it('is the rule of the channel, else of the kind, else the base', () => {
  const group = scoped({ channel: 'telegram', chatType: 'group', chatId: '-100' });
  const direct = scoped({ channel: 'telegram', chatType: 'direct', chatId: '7' });
  expect(resetRule(policy, { ...group, channel: 'Discord' })).toEqual({ ...utc, dailyAtHour: 4 });
  expect(resetRule(policy, group)).toEqual({ ...utc, idleMinutes: 60 });
  expect(resetRule(policy, direct)).toEqual(utc);
  expect(resetRule(policy, { ...direct, channel: 'constructor' })).toEqual(utc);
});

it('carries over what the rule says', () => {
  const spoken = { ...newMeta('notes', {}, at), activeCount: 9, segmentStartedAt: at, interactionAt: at };
  const now = new Date('2026-06-01T12:00:00Z');
  const due = (carry: object, summary = 'Plans.') =>
    dueReset({ ...policy, base: { ...utc, idleMinutes: 60, carry } }, { ...spoken, summary }, now);
  expect(due({})).toEqual({ reason: 'idle' });
  expect(due({ summary: true, lastMessages: 4 })).toEqual({ reason: 'idle', summary: 'Plans.', keepLast: 4 });
  expect(due({ summary: true }, '')).toEqual({ reason: 'idle' });
  expect(dueReset(policy, spoken, now)).toBeUndefined();
});
