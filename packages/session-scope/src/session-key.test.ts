import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildScope,
  explicitKey,
  type InboundContext,
  isMainAlias,
  mainAlias,
  mainSessionKey,
  normaliseText,
  parseScope,
  type SessionScope,
  scopeSignature,
  sessionKey,
} from './index.js';

/** Texts that have forged, merged or lost sessions somewhere. */
const hostile = fc.oneof(
  fc.constantFrom(
    '|',
    '%',
    '=',
    '%7C',
    '%25',
    '%ud800',
    '\n',
    '\0',
    '\ud800',
    '\ud801',
    '\udc00',
    '',
    '/',
    ':',
  ),
  fc.constantFrom('a', 'a|chat=b', 'x|sender=ann', '/42', '\ufffd', 'ſ', 'Σ', 'İ'),
);
const text = fc.oneof(
  fc.array(hostile, { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const dimensions = fc.shuffledSubarray(['space', 'chat', 'topic', 'sender']);

const scopes: fc.Arbitrary<SessionScope> = fc
  .tuple(dimensions, fc.tuple(text, text, text, text), text, fc.constantFrom('main', 'a'), fc.boolean())
  .map(([names, texts, channel, agentId, caseSensitive]) => ({
    version: 1 as const,
    agentId,
    channel: normaliseText(channel) || 'unknown',
    account: 'default',
    dimensions: names,
    values: Object.fromEntries(names.map((name, index) => [name, normaliseText(texts[index])])),
    ...(caseSensitive && { caseSensitive: true as const }),
  }));

const identityOf = (scope: SessionScope) =>
  JSON.stringify([
    scope.agentId,
    scope.channel,
    scope.caseSensitive === true,
    scope.dimensions.map((dimension) => [dimension, scope.values[dimension]]),
  ]);

test('gives distinct normalised scopes distinct keys, hostile values included', () => {
  fc.assert(
    fc.property(scopes, scopes, (one, other) => {
      expect(sessionKey(one) === sessionKey(other)).toBe(identityOf(one) === identityOf(other));
    }),
    { numRuns: 2000 },
  );
});

test('gives a small world of hostile scopes a key each', () => {
  const pieces = [
    '',
    'a',
    '|',
    '%',
    '=',
    '%7c',
    '%7C',
    '%25',
    '|sender=a',
    '\n',
    '\0',
    '\ud800',
    '\ud801',
    '\ufffd',
  ];
  const keys = new Set<string>();
  const identities = new Set<string>();
  for (const chat of pieces) {
    for (const sender of [...pieces, undefined]) {
      const values = {
        chat: normaliseText(`group:x${chat}z`),
        ...(sender !== undefined && { sender: `y${sender}z` }),
      };
      const scope: SessionScope = {
        version: 1,
        agentId: 'main',
        channel: 'irc',
        account: 'default',
        dimensions: Object.keys(values),
        values,
        caseSensitive: true,
      };
      keys.add(sessionKey(scope));
      identities.add(identityOf(scope));
    }
  }
  expect(keys.size).toBe(identities.size);
  // `%7c` and `%7C` fold to one chat; as senders, where case was kept, they are two.
  expect(keys.size).toBe((pieces.length - 1) * (pieces.length + 1));
});

const contexts = fc.record(
  {
    channel: text,
    account: text,
    chatId: text,
    chatType: fc.constantFrom('direct', 'group', 'channel'),
    topicId: text,
    spaceId: text,
    senderId: text,
  },
  { requiredKeys: ['channel'] },
);

test('keys do not change with field order, clones, case or padding', () => {
  fc.assert(
    fc.property(contexts, dimensions, (context, names) => {
      const policy = { dimensions: names as never, identityLinks: {} };
      const key = (each: InboundContext) => sessionKey(buildScope('Main', each, policy));
      const same = key(context);
      expect(key(structuredClone(context))).toBe(same);
      expect(key(Object.fromEntries(Object.entries(context).reverse()) as never)).toBe(same);
      const padded = Object.entries(context).map(([field, value]) => [field, `\u0085 ${raise(value)}\u3000`]);
      expect(key(Object.fromEntries(padded))).toBe(same);
      const scope = buildScope('Main', context, policy);
      expect(
        sessionKey({ ...scope, values: Object.fromEntries(Object.entries(scope.values).reverse()) }),
      ).toBe(same);
    }),
  );
});

/** Only ASCII: `ß` has no capital that folds back to it. */
function raise(value: string): string {
  return value.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

test.each([
  [
    { channel: 'irc', values: { chat: 'group:AbC' } },
    'v=1c|agent=main|channel=irc|account=default|chat=group:AbC',
  ],
  [
    { channel: 'irc', values: { chat: 'group:A|b%' } },
    'v=1ce|agent=main|channel=irc|account=default|chat=group:A%7Cb%25',
  ],
])('signs %j where case matters', ({ channel, values }, signature) => {
  const scope = parseScope({
    version: 1,
    agent_id: 'main',
    channel,
    account: 'default',
    dimensions: Object.keys(values),
    values,
    case_sensitive: true,
  });
  expect(scopeSignature(scope)).toBe(signature);
});

test('knows a main alias from a chat that looks like one', () => {
  for (const name of ['agent:main:main', ' Agent:Sales:MAIN ', mainAlias('Support Desk')]) {
    expect(isMainAlias(name)).toBe(true);
  }
  for (const name of [
    'agent:main:direct:main',
    'agent:main',
    'agent::main',
    'xagent:a:main',
    'agent:a:main:',
    '',
  ]) {
    expect(isMainAlias(name)).toBe(false);
  }
});

test('gives every agent a main session of its own, apart from its chats', () => {
  expect(mainSessionKey('A')).toBe(mainSessionKey(' a '));
  expect(mainSessionKey('a')).not.toBe(mainSessionKey('b'));
  expect(mainSessionKey(undefined)).toBe(mainSessionKey('main'));
});

test.each([
  [' SK_V1_ABC ', 'sk_v1_abc'],
  ['Agent:Main:direct:7', 'agent:main:direct:7'],
  ['agent:x:a\nb', 'agent:x:a\nb'],
  ['sk_v1_', undefined],
  ['agent:', undefined],
  ['custom', undefined],
  ['', undefined],
  [undefined, undefined],
  [`agent:a:${'x'.repeat(1100)}`, undefined],
  ['agent:a:\ud800', undefined],
  ['agent:a:x\0y', undefined],
])('takes %j for the key %j', (text, key) => {
  expect(explicitKey(text)).toBe(key);
});
