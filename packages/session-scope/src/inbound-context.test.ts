import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inboundContextSchema, parseInboundContext, ScopeError } from './index.js';

test('reads the wire form: numbers as ids, null as absent, unknown fields ignored', () => {
  const wire = {
    channel: 'telegram',
    chat_id: -1001234567890,
    chat_type: 'group',
    topic_id: 42,
    sender_id: 7,
    space_id: null,
    message_id: '9',
    mentioned: true,
    reply_to_message_id: 8,
    update_id: 1,
  };
  expect(parseInboundContext(wire)).toEqual({
    channel: 'telegram',
    chatId: '-1001234567890',
    chatType: 'group',
    topicId: '42',
    senderId: '7',
    messageId: '9',
    mentioned: true,
    replyToMessageId: '8',
  });
});

test('keeps ids as the platform gave them: they are the address of the answer', () => {
  expect(parseInboundContext({ channel: 'Signal', chat_id: ' AbC= ' })).toEqual({
    channel: 'Signal',
    chatId: ' AbC= ',
  });
});

test('has a channel even when none is given', () => {
  expect(parseInboundContext({})).toEqual({ channel: '' });
});

test.each([
  [null, '', 'an object'],
  ['text', '', 'an object'],
  [{ channel: 5 }, 'channel', 'text expected'],
  [{ chat_id: {} }, 'chat_id', 'text of at most 1024 characters or an exact whole number expected'],
  [{ chat_id: 2 ** 60 }, 'chat_id', 'an exact whole number'],
  [{ topic_id: 1.5 }, 'topic_id', 'an exact whole number'],
  [{ sender_id: 'x'.repeat(1025) }, 'sender_id', 'at most 1024 characters'],
  [{ mentioned: 'yes' }, 'mentioned', 'true or false expected'],
])('refuses %j in one sentence', (wire, path, expected) => {
  const refusal = refusalOf(wire);
  expect(refusal).toBeInstanceOf(ScopeError);
  expect(refusal).toMatchObject({ code: 'InvalidInbound', path });
  expect(refusal?.message).toContain(expected);
  expect(refusal?.message).not.toContain('\n');
});

test('answers any JSON value with a context or a refusal, and nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const parsed = inboundContextSchema.safeParse(value);
      const refusal = refusalOf(value);
      expect(refusal === undefined).toBe(parsed.success);
      if (refusal !== undefined) expect(refusal).toBeInstanceOf(ScopeError);
    }),
  );
});

function refusalOf(value: unknown): Error | undefined {
  try {
    parseInboundContext(value);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
