import type { Message } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertLegal } from '../test/legal-prompt.js';
import { modelMessages } from './model-messages.js';
import { INTERRUPTED_RESULT } from './turn-state.js';

const user = (content: string): Message => ({ role: 'user', content });
const answer = (content: string, ...ids: string[]): Message => ({
  role: 'assistant',
  content,
  ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })) }),
});
const result = (toolCallId: string, content: string): Message => ({ role: 'tool', content, toolCallId });

function spoken(history: readonly Message[]): readonly string[] {
  const { messages } = modelMessages('', '', history);
  assertLegal(messages);
  return messages.map(({ role, content }) => {
    const parts = typeof content === 'string' ? [] : content;
    const texts = parts.map((part) => {
      if (part.type === 'tool-call') return `call ${part.toolCallId}`;
      if (part.type === 'tool-result')
        return `${part.toolCallId}=${'value' in part.output ? part.output.value : ''}`;
      return part.type === 'text' ? part.text : part.type;
    });
    return `${role}: ${texts.join(' | ')}`;
  });
}

describe('what a model is given', () => {
  it.each<[string, readonly Message[], readonly string[]]>([
    [
      'keeps all results of a block, in the order of its calls',
      [user('u'), answer('', 'A', 'B', 'C'), result('B', '2'), result('A', '1'), result('C', '3')],
      ['user: u', 'assistant: call A | call B | call C', 'tool: A=1 | B=2 | C=3'],
    ],
    [
      'matches ids within a block, and makes those used again different',
      [
        user('u'),
        answer('', 'c'),
        result('c', '1'),
        answer('mid'),
        user('v'),
        answer('', 'c'),
        result('c', '2'),
      ],
      [
        'user: u',
        'assistant: call c',
        'tool: c=1',
        'assistant: mid',
        'user: v',
        'assistant: call c_2',
        'tool: c_2=2',
      ],
    ],
    [
      'does not take an older result for the answer of an open call',
      [user('u'), answer('', 'c'), result('c', '1'), answer('x'), user('v'), answer('', 'c'), user('w')],
      [
        'user: u',
        'assistant: call c',
        'tool: c=1',
        'assistant: x',
        'user: v',
        'assistant: call c_2',
        `tool: c_2=${INTERRUPTED_RESULT}`,
        'user: w',
      ],
    ],
    [
      'keeps the first of two results and drops the second',
      [user('u'), answer('', 'A', 'B'), result('A', '1'), result('A', 'again'), result('B', '2')],
      ['user: u', 'assistant: call A | call B', 'tool: A=1 | B=2'],
    ],
    [
      'answers one id used twice in a block once each',
      [user('u'), answer('', 'A', 'A'), result('A', '1'), result('A', '2')],
      ['user: u', 'assistant: call A | call A_2', 'tool: A=1 | A_2=2'],
    ],
    [
      'takes a result from behind a message that came in between',
      [user('u'), answer('', 'A', 'B'), result('A', '1'), user('v'), result('B', '2')],
      ['user: u', 'assistant: call A | call B', 'tool: A=1 | B=2', 'user: v'],
    ],
    [
      'drops an orphan and nothing else',
      [user('u'), answer('', 'A'), result('A', '1'), user('v'), result('B', 'lost')],
      ['user: u', 'assistant: call A', 'tool: A=1', 'user: v'],
    ],
    [
      'makes ids legal without making two the same',
      [user('u'), answer('', 'web:0', 'web_0'), result('web_0', '2'), result('web:0', '1')],
      ['user: u', 'assistant: call web_0 | call web_0_2', 'tool: web_0=1 | web_0_2=2'],
    ],
    [
      'begins with a user where a cut took the beginning',
      [result('A', '1'), answer('so it is'), user('v')],
      ['user: [Earlier messages are not shown.]', 'assistant: so it is', 'user: v'],
    ],
    [
      'leaves out half an answer that is about to be given anew',
      [user('u'), { ...answer('Half a'), meta: { status: 'interrupted' } }],
      ['user: u'],
    ],
    [
      'lets nobody speak twice, and drops thoughts and empty words',
      [
        user('u'),
        user('v'),
        { ...answer(''), reasoning: 'hm' },
        answer('a'),
        answer('b'),
        user(' '),
        user('w'),
      ],
      ['user: u | v', 'assistant: a | b', 'user: w'],
    ],
  ])('%s', (_rule, history, expected) => {
    expect(spoken(history)).toEqual(expected);
  });

  it('sends arguments that are no object as one that is', () => {
    const texts = [
      '{"a":',
      '[1]',
      '"x"',
      `{"${'p'.repeat(100_000)}":1}`,
      '',
      '{"\ud800":1}',
      '{"a":{"b":1}}',
    ];
    const history = texts.flatMap((text, place): Message[] => [
      user('u'),
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: `c${place}`, name: 'odd name!', arguments: text }],
      },
    ]);
    const { messages } = modelMessages('', '', history);
    assertLegal(messages);
    const inputs = messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.map((part) => ('input' in part ? part.input : null))
        : [],
    );
    expect(inputs[0]).toEqual({ invalid_arguments: '{"a":' });
    expect(inputs[4]).toEqual({});
    expect(inputs[6]).toEqual({ a: { b: 1 } });
  });

  it('puts the summary and system messages into the system text, each once', () => {
    const system: Message = { role: 'system', content: 'Be brief.' };
    const prompt = modelMessages('You help.', 'They met.', [
      system,
      user('u'),
      system,
      answer('a'),
      user('v'),
    ]);
    expect(prompt.system).toMatch(/^You help\.\n\nBe brief\.\n\nWhat was said before .*\nThey met\.$/);
    expect(prompt.messages).toHaveLength(3);
  });

  it('shows images that carry their data or have an address, and names other media', () => {
    const media = [
      'data:image/png;base64,iVBORw0K',
      'https://x.test/a.jpg',
      'telegram:file/7',
      'data:audio/ogg;base64,AA',
    ];
    const [message] = modelMessages('', '', [{ role: 'user', content: 'see', media }]).messages;
    expect(message?.content).toMatchObject([
      { type: 'text', text: 'see' },
      { type: 'image', image: 'iVBORw0K', mediaType: 'image/png' },
      { type: 'image', image: new URL('https://x.test/a.jpg') },
      { type: 'text', text: '[media: telegram:file/7]' },
      { type: 'text', text: '[media: data:audio/ogg]' },
    ]);
  });

  const id = fc.constantFrom('c0', 'c1', 'c:1', 'c_1', ' ', '日', 'x'.repeat(90));
  const text = fc.oneof(
    fc.constantFrom('', ' ', 'word', '\ud83d', '{"a":1}'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content: text }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: text,
      meta: fc.constantFrom({}, { status: 'interrupted' }),
    }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: text,
      toolCalls: fc.array(fc.record({ id, name: fc.constantFrom('look', 'a b', '工具'), arguments: text }), {
        maxLength: 4,
      }),
    }),
    fc.record({ role: fc.constant('tool' as const), content: text, toolCallId: id }),
  );

  it('is legal for every provider, whatever the history and wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 24 }), fc.nat(24), (history, cut) => {
        const kept = [...history.slice(Math.min(cut, history.length)), user('newest')];
        const before = structuredClone(kept);
        const { messages } = modelMessages('', '', kept);
        assertLegal(messages);
        expect(kept).toEqual(before);
        const last = messages.at(-1);
        expect(last).toMatchObject({ role: 'user' });
        expect(last?.content.at(-1)).toEqual({ type: 'text', text: 'newest' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is legal or empty even where the newest message is no question', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 24 }), (history) => {
        const { messages } = modelMessages('', '', history);
        if (messages.length > 0) assertLegal(messages);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps every call and result of a history that was whole, at every cut between its turns', () => {
    const whole = [
      user('u'),
      answer('', 'c'),
      result('c', '1'),
      answer('a'),
      user('v'),
      answer('', 'c', 'd'),
    ];
    const history = [...whole, result('c', '2'), result('d', '3'), answer('end'), user('w')];
    for (let keepLast = 1; keepLast <= history.length; keepLast += 1) {
      const lines = spoken(history.slice(-keepLast));
      expect(lines.at(-1)).toBe('user: w');
      if (keepLast >= 5) expect(lines.join()).toContain('=2 | d=3');
    }
  });
});
