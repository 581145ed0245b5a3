import assert from 'node:assert/strict';

/** Judges a prompt, in our shape and in the library's alike, as each family of providers does. */
export function assertLegal(prompt: readonly object[]): void {
  const messages = prompt as readonly Message[];
  const [first, ...rest] = messages;
  const spoken = first?.role === 'system' ? rest : messages;
  if (first?.role === 'system') assert.ok(isText(first.content), 'the system text is not empty');
  assert.ok(spoken.length > 0, 'somebody speaks');
  for (const message of spoken) {
    assert.ok(Array.isArray(message.content) && message.content.length > 0, 'a message has parts');
    for (const part of message.content) judgePart(message.role, part);
  }
  for (const family of [acceptedByOpenAI, acceptedByAnthropic, acceptedByGoogle]) family(spoken);
}

/** Every call of a message has its own result before anybody else speaks, and no result is without its call. */
function acceptedByOpenAI(spoken: readonly Message[]): void {
  let open: (string | undefined)[] = [];
  for (const message of spoken) {
    if (message.role === 'tool') {
      for (const { toolCallId } of partsOf(message)) {
        assert.ok(open.includes(toolCallId), 'OpenAI: a result follows its call');
        open = open.filter((id) => id !== toolCallId);
      }
      continue;
    }
    assert.deepEqual(open, [], 'OpenAI: every call is answered before somebody speaks');
    open = callsOf(message).map(({ toolCallId }) => toolCallId);
    for (const id of open) assert.ok((id ?? '').length <= 40, 'OpenAI: ids have at most 40 characters');
  }
  assert.deepEqual(open, [], 'OpenAI: every call is answered');
}

/** A user begins, a user or a result is last, nobody speaks twice in a row, ids are never used again. */
function acceptedByAnthropic(spoken: readonly Message[]): void {
  assert.equal(spoken[0]?.role, 'user', 'Anthropic: a user begins');
  assert.ok(['user', 'tool'].includes(spoken.at(-1)?.role ?? ''), 'Anthropic: a user or a tool is last');
  const ids = new Set<string | undefined>();
  spoken.forEach((message, index) => {
    assert.notEqual(message.role, spoken[index - 1]?.role, 'Anthropic: nobody speaks twice in a row');
    const calls = callsOf(message);
    for (const { toolCallId } of calls) {
      assert.ok(!ids.has(toolCallId), 'Anthropic: ids are unique in the request');
      ids.add(toolCallId);
    }
    if (calls.length > 0)
      assert.equal(spoken[index + 1]?.role, 'tool', 'Anthropic: results come directly behind');
  });
}

/** A call comes behind a user or a result; as many results as calls, in their order and under their names. */
function acceptedByGoogle(spoken: readonly Message[]): void {
  spoken.forEach((message, index) => {
    const before = spoken[index - 1];
    if (callsOf(message).length > 0) {
      assert.ok(['user', 'tool'].includes(before?.role ?? ''), 'Google: a call follows a user or a result');
    }
    if (message.role !== 'tool') return;
    assert.deepEqual(
      partsOf(message).map(({ toolCallId, toolName }) => [toolCallId, toolName]),
      callsOf(before).map(({ toolCallId, toolName }) => [toolCallId, toolName]),
      'Google: each call is answered once, in order, and nothing else is',
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
  if (message?.role !== 'assistant') return [];
  return partsOf(message).filter(({ type }) => type === 'tool-call');
}

function partsOf({ content }: Message): readonly Part[] {
  return typeof content === 'string' ? [] : content;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/\p{Surrogate}/u.test(value);
}
