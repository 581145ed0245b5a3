import assert from 'node:assert/strict';

/**
 * Judges a prompt as the strictest of the provider families does, in our shape and in the library's alike:
 * OpenAI wants every call answered directly after its message, Anthropic ids that are unique in the request and
 * legal, no empty text and alternating roles from a user on, Google a call only behind a user or a result.
 */
export function assertLegal(prompt: readonly object[]): void {
  const messages = prompt as readonly Message[];
  const [first, ...rest] = messages;
  const spoken = first?.role === 'system' ? rest : messages;
  if (first?.role === 'system') assert.ok(isText(first.content), 'the system text is not empty');
  assert.ok(spoken.length > 0, 'somebody speaks');
  assert.equal(spoken[0]?.role, 'user', 'a user begins');
  assert.ok(['user', 'tool'].includes(spoken.at(-1)?.role ?? ''), 'a user or a tool is last');
  const ids = new Set<string>();
  spoken.forEach((message, index) => {
    const before = spoken[index - 1];
    assert.notEqual(message.role, before?.role, 'nobody speaks twice in a row');
    assert.ok(Array.isArray(message.content) && message.content.length > 0, 'a message has parts');
    for (const part of message.content) judgePart(message.role, part);
    const calls = callsOf(message);
    for (const call of calls) {
      assert.ok(!ids.has(call.toolCallId ?? ''), 'ids are unique in the request');
      ids.add(call.toolCallId ?? '');
    }
    const next = spoken[index + 1];
    if (calls.length > 0) assert.equal(next?.role, 'tool', 'calls are answered at once');
    if (message.role !== 'tool') return;
    assert.deepEqual(
      message.content.map(({ toolCallId, toolName }) => [toolCallId, toolName]),
      callsOf(before).map(({ toolCallId, toolName }) => [toolCallId, toolName]),
      'each call is answered once, in order, and nothing else is',
    );
  });
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface Part {
  readonly type: string;
  readonly text?: unknown;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value: unknown };
}

const KINDS: Record<string, readonly string[]> = {
  user: ['text', 'image', 'file'],
  assistant: ['text', 'tool-call'],
  tool: ['tool-result'],
};

function judgePart(role: string, part: Part): void {
  assert.ok(KINDS[role]?.includes(part.type), `a ${role} does not say ${part.type}`);
  if (part.type === 'text') assert.ok(isText(part.text), 'no empty or broken text');
  if (part.type === 'tool-result') assert.ok(isText(part.output?.value), 'no empty or broken result');
  if (!part.type.startsWith('tool-')) return;
  assert.match(part.toolCallId ?? '', /^[A-Za-z0-9_-]{1,64}$/);
  assert.match(part.toolName ?? '', /^[A-Za-z0-9_-]{1,64}$/);
  if (part.type !== 'tool-call') return;
  assert.ok(
    typeof part.input === 'object' && part.input !== null && !Array.isArray(part.input),
    'arguments are an object',
  );
  assert.ok(isText(JSON.stringify(part.input)));
  assert.ok(
    Object.keys(part.input).every((name) => name.length <= 256),
    'property names are short',
  );
}

function callsOf(message: Message | undefined): readonly Part[] {
  if (message?.role !== 'assistant' || typeof message.content === 'string') return [];
  return message.content.filter(({ type }) => type === 'tool-call');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/\p{Surrogate}/u.test(value);
}
