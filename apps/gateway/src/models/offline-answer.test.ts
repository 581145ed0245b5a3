import type { LanguageModelV3Message } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { answerOffline } from './offline-answer.js';

const tools = new Set(['current_time', 'remember', 'recall', 'forget', 'activate_skill']);

function said(...texts: readonly string[]): LanguageModelV3Message[] {
  return texts.flatMap((text, index) => [
    ...(index === 0
      ? []
      : [{ role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] }]),
    { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  ]);
}

test.each([
  ['what time is it?', 'current_time', {}],
  ['And what’s the time', 'current_time', {}],
  ['Remember that the key is blue', 'remember', { fact: 'the key is blue' }],
  ['please remember: milk', 'remember', { fact: 'milk' }],
  ['what do you remember?', 'recall', {}],
  ['recall', 'recall', {}],
  ['What do you remember about the key?', 'recall', { query: 'the key' }],
  ['use the skill soup', 'activate_skill', { name: 'soup' }],
  ['forget that the key is blue', 'forget', { text: 'the key is blue' }],
])('%s calls %s', (text, tool, input) => {
  expect(answerOffline(said(text), tools)).toEqual({ kind: 'call', tool, input });
  expect(answerOffline(said(text), new Set())).toMatchObject({ kind: 'text' });
});

test.each([
  ['/slow 3 boats', { kind: 'text', overMs: 3000, text: expect.stringContaining('boats') }],
  ['/slow', { kind: 'text', overMs: 5000 }],
  ['/fail', { kind: 'fail' }],
  ['/fail-after 2', { kind: 'text', failAfterWords: 2 }],
  ['/garbage', { kind: 'garbage' }],
  ['/silent', { kind: 'silent' }],
  ['/failure is not a command', { kind: 'text', text: expect.stringContaining('You said: /failure') }],
])('%s is obeyed', (text, answer) => {
  expect(answerOffline(said(text), tools)).toMatchObject(answer);
});

test('the first answer says what it is, and what was said is told from this conversation alone', () => {
  expect(answerOffline(said('hello'), tools)).toMatchObject({
    text: expect.stringContaining("Holdfast's built-in offline model"),
  });
  expect(answerOffline(said('hello', 'I like tea', 'what did I say?'), tools)).toEqual({
    kind: 'text',
    text: 'In this session you said:\n\n1. hello\n2. I like tea',
  });
  expect(answerOffline(said('what did I say?'), tools)).toMatchObject({
    text: expect.stringMatching(/^Nothing yet/),
  });
});

test('a result is put into words', () => {
  const result = (toolName: string, value: string): LanguageModelV3Message[] => [
    ...said('what time is it?'),
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName, input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', toolName, output: { type: 'text', value } }],
    },
  ];
  expect(answerOffline(result('current_time', 'noon'), tools)).toEqual({ kind: 'text', text: 'It is noon.' });
  expect(answerOffline(result('recall', '- milk'), tools)).toEqual({ kind: 'text', text: '- milk' });
});
