import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalOpenclawKey, formatOpenclawKey, type OpenclawKey, parseOpenclawKey } from './index.js';

const uuid = '5a5a5a5a-0000-4000-8000-000000000008';

describe('a key is read and written', () => {
  test.each<[string, OpenclawKey]>([
    ['global', { kind: 'global' }],
    ['unknown', { kind: 'unknown' }],
    ['agent:main:main', { kind: 'main', agentId: 'main', mainKey: 'main' }],
    ['agent:ops:home', { kind: 'main', agentId: 'ops', mainKey: 'home' }],
    ['agent:main:main:thread:7', { kind: 'main', agentId: 'main', mainKey: 'main', threadId: '7' }],
    ['agent:main:main:heartbeat', { kind: 'main', agentId: 'main', mainKey: 'main', heartbeat: true }],
    ['agent:main:direct:alice', { kind: 'direct', agentId: 'main', peerId: 'alice' }],
    ['agent:main:direct:main', { kind: 'direct', agentId: 'main', peerId: 'main' }],
    [
      'agent:main:whatsapp:direct:+31600000007',
      { kind: 'direct', agentId: 'main', channel: 'whatsapp', peerId: '+31600000007' },
    ],
    [
      'agent:support:telegram:acme-bot:direct:70010002',
      { kind: 'direct', agentId: 'support', channel: 'telegram', account: 'acme-bot', peerId: '70010002' },
    ],
    [
      'agent:main:telegram:group:-100:topic:42',
      {
        kind: 'group',
        agentId: 'main',
        channel: 'telegram',
        chatType: 'group',
        peerId: '-100',
        topicId: '42',
      },
    ],
    [
      'agent:main:discord:channel:555:thread:777',
      {
        kind: 'group',
        agentId: 'main',
        channel: 'discord',
        chatType: 'channel',
        peerId: '555',
        threadId: '777',
      },
    ],
    [
      'agent:main:matrix:channel:!RoOm:Ex.org:thread:$EvT',
      {
        kind: 'group',
        agentId: 'main',
        channel: 'matrix',
        chatType: 'channel',
        peerId: '!RoOm:Ex.org',
        threadId: '$EvT',
      },
    ],
    [
      'agent:main:signal:group:AbC+/d=',
      { kind: 'group', agentId: 'main', channel: 'signal', chatType: 'group', peerId: 'AbC+/d=' },
    ],
    ['agent:main:discord:slash:9', { kind: 'slash', agentId: 'main', channel: 'discord', userId: '9' }],
    ['cron:nightly', { kind: 'cron', jobId: 'nightly' }],
    ['agent:main:cron:c0:run:f1', { kind: 'cron', agentId: 'main', jobId: 'c0', runId: 'f1' }],
    [`hook:${uuid}`, { kind: 'purpose', purpose: 'hook', id: uuid }],
    ['agent:main:hook:gmail:9', { kind: 'purpose', agentId: 'main', purpose: 'hook', id: 'gmail:9' }],
    [`agent:main:subagent:${uuid}`, { kind: 'subagent', agentId: 'main', ids: [uuid] }],
    ['agent:main:subagent:a:subagent:b', { kind: 'subagent', agentId: 'main', ids: ['a', 'b'] }],
    [`agent:main:dashboard:${uuid}`, { kind: 'purpose', agentId: 'main', purpose: 'dashboard', id: uuid }],
    ['agent:main:acp:x', { kind: 'purpose', agentId: 'main', purpose: 'acp', id: 'x' }],
    ['agent:main:something:new', { kind: 'other', agentId: 'main', rest: 'something:new' }],
  ])('%s', (text, key) => {
    expect(parseOpenclawKey(text)).toEqual(key);
    expect(formatOpenclawKey(key)).toBe(text);
  });

  test.each(['', 'agent', 'agent:', 'agent:x', 'agent:x:', 'agent::main', 'main', 'sk_v1_ab', 'cron:'])(
    'and %j is none',
    (text) => {
      expect(parseOpenclawKey(text)).toBeUndefined();
    },
  );
});

test.each([
  ['AGENT:Main:SIGNAL:Group:AbC+/d=', 'agent:main:signal:group:AbC+/d='],
  [
    'agent:main:matrix:channel:!RoOm:Ex.org:THREAD:$EvT',
    'agent:main:matrix:channel:!RoOm:Ex.org:thread:$EvT',
  ],
  ['Agent:Ops:Main', 'agent:ops:main'],
  ['agent:main:telegram:dm:123', 'agent:main:telegram:direct:123'],
  ['agent:main:dm:Ann', 'agent:main:direct:ann'],
  ['agent:main:telegram:GROUP:-1:TOPIC:7', 'agent:main:telegram:group:-1:topic:7'],
  ['main', 'agent:ops:main'],
  ['telegram:group:1', 'agent:ops:telegram:group:1'],
  ['agent:main:hook:x', 'agent:main:hook:x'],
  ['cron:Nightly', 'cron:nightly'],
  [' GLOBAL ', 'global'],
  ['agent:x', 'agent:x'],
  ['', ''],
])('%j is %j in the store of the agent ops', (text, canonical) => {
  expect(canonicalOpenclawKey(text, 'ops')).toBe(canonical);
});

/** Ids that try to be something else. */
const hostile = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            'a',
            '',
            ':',
            ':thread:',
            ':topic:',
            ':run:',
            ':subagent:',
            ':heartbeat',
            'direct',
            'dm',
            'main',
          ],
          ...['group', 'channel', 'agent', 'cron', 'slash', '%', '%3a', '%25', '日本', 'x'.repeat(300)],
        ),
        { maxLength: 5 },
      )
      .map((parts) => parts.join('')),
  )
  .map((text) => canonicalText(text));
/** As ids stand in keys: no space around them, lower case. */
const canonicalText = (text: string) => canonicalOpenclawKey(`cron:x${text}x`).slice(6, -1).trim();
const agentId = fc.constantFrom('main', 'ops');
const thread = fc.record({ threadId: hostile, heartbeat: fc.constant(true as const) }, { requiredKeys: [] });

const anyKey: fc.Arbitrary<OpenclawKey> = fc
  .oneof(
    fc.record({ kind: fc.constant('main' as const), agentId, mainKey: hostile, suffix: thread }),
    fc.record(
      { kind: fc.constant('direct' as const), agentId, channel: hostile, peerId: hostile, suffix: thread },
      { requiredKeys: ['kind', 'agentId', 'peerId', 'suffix'] },
    ),
    fc.record({
      kind: fc.constant('direct' as const),
      agentId,
      channel: hostile,
      account: hostile,
      peerId: hostile,
      suffix: thread,
    }),
    fc.record(
      {
        kind: fc.constant('group' as const),
        agentId,
        channel: hostile,
        chatType: fc.constantFrom('group' as const, 'channel' as const, 'room' as const),
        peerId: hostile,
        topicId: hostile,
        suffix: thread,
      },
      { requiredKeys: ['kind', 'agentId', 'channel', 'chatType', 'peerId', 'suffix'] },
    ),
    fc.record(
      { kind: fc.constant('cron' as const), agentId, jobId: hostile, runId: hostile },
      { requiredKeys: ['kind', 'jobId'] },
    ),
    fc.record({ kind: fc.constant('slash' as const), agentId, channel: hostile, userId: hostile }),
    fc.record({ kind: fc.constant('subagent' as const), agentId, ids: fc.array(hostile, { minLength: 1 }) }),
    fc.record({
      kind: fc.constant('purpose' as const),
      agentId,
      purpose: fc.constantFrom('hook' as const, 'acp' as const, 'explicit' as const),
      id: hostile,
    }),
  )
  .map((key) => {
    if (!('suffix' in key)) return key as OpenclawKey;
    const { suffix, ...rest } = key;
    return { ...rest, ...suffix } as OpenclawKey;
  });

test('what is written is read back as it was, whatever the ids hold', () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      expect(parseOpenclawKey(formatOpenclawKey(key))).toEqual(key);
    }),
    { numRuns: 1000 },
  );
});

test('different keys have different texts', () => {
  fc.assert(
    fc.property(anyKey, anyKey, (one, other) => {
      const isSame = formatOpenclawKey(one) === formatOpenclawKey(other);
      if (isSame) expect(one).toEqual(other);
    }),
    { numRuns: 1000 },
  );
});

test('a key has one spelling, and never throws', () => {
  const word = fc.oneof(
    hostile,
    fc.constantFrom('agent', 'AGENT', 'Main', 'signal', 'MATRIX', 'Group', 'THREAD', 'topic', ' ', '\ud800'),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word).map((words) => words.join(':')),
    fc.array(word).map((words) => ['agent', 'a', ...words].join(':')),
  );
  fc.assert(
    fc.property(text, (key) => {
      const once = canonicalOpenclawKey(key);
      expect(canonicalOpenclawKey(once)).toBe(once);
      const read = parseOpenclawKey(once);
      if (read !== undefined) expect(formatOpenclawKey(read)).toBe(once);
    }),
    { numRuns: 10_000 },
  );
});
