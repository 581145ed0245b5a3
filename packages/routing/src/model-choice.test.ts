import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseModel, scoreTurn, type TurnFeatures, turnFeatures } from './index.js';

const simple: TurnFeatures = {
  tokenEstimate: 0,
  codeBlockCount: 0,
  recentToolCalls: 0,
  conversationDepth: 0,
  hasAttachments: false,
};

test.each<[Partial<TurnFeatures>, number]>([
  [{}, 0],
  [{ tokenEstimate: 50 }, 0],
  [{ tokenEstimate: 51 }, 0.15],
  [{ tokenEstimate: 200 }, 0.15],
  [{ tokenEstimate: 201 }, 0.35],
  [{ codeBlockCount: 1 }, 0.4],
  [{ codeBlockCount: 9 }, 0.4],
  [{ recentToolCalls: 1 }, 0.1],
  [{ recentToolCalls: 3 }, 0.1],
  [{ recentToolCalls: 4 }, 0.25],
  [{ conversationDepth: 10 }, 0],
  [{ conversationDepth: 11 }, 0.1],
  [{ hasAttachments: true }, 1],
  [{ tokenEstimate: 51, recentToolCalls: 1, conversationDepth: 11 }, 0.35],
  [{ recentToolCalls: 4, conversationDepth: 11 }, 0.35],
  [{ tokenEstimate: 201, codeBlockCount: 1, recentToolCalls: 4, conversationDepth: 11 }, 1],
  [{ hasAttachments: true, codeBlockCount: 1 }, 1],
])('scores %j as %d', (features, score) => {
  expect(scoreTurn({ ...simple, ...features })).toBe(score);
});

test.each([
  ['', 0],
  ['abc', 0],
  ['abcd', 1],
  ['x'.repeat(203), 50],
  ['x'.repeat(204), 51],
  ['日本語', 3],
  ['한국어', 3],
  ['日本語abcde', 4],
  ['\u2e7f\u2e7f\u2e7f\u2e7f', 1],
  ['\u2e80\u9fff\uf900\ufaff', 4],
  ['😀'.repeat(4), 1],
  ['𠀀'.repeat(3), 0],
  ['\ud800'.repeat(4), 1],
])('estimates the tokens of %j', (text, tokens) => {
  expect(turnFeatures({ text }).tokenEstimate).toBe(tokens);
});

test.each([
  ['```js\na\n```', 1],
  ['``` open', 0],
  ['```a``` ```b``` ```', 2],
  ['`a`', 0],
])('counts the complete code blocks of %j', (text, blocks) => {
  expect(turnFeatures({ text }).codeBlockCount).toBe(blocks);
});

test.each([
  ['see https://x.example/cat.PNG', true],
  ['data:image/png;base64,AA', true],
  ['song.mp3?x', true],
  ['www.movies.example', false],
  ['plain', false],
])('sees media in %j: %s', (text, has) => {
  expect(turnFeatures({ text }).hasAttachments).toBe(has);
});

test('counts tool calls in the last six messages, and depth in all', () => {
  const call = { role: 'assistant', toolCalls: [{}] };
  const recentMessages = [
    call,
    { role: 'tool' },
    call,
    { role: 'tool', toolCalls: undefined },
    call,
    call,
    call,
    { role: 'user' },
  ];
  expect(turnFeatures({ text: '', recentMessages })).toMatchObject({
    recentToolCalls: 4,
    conversationDepth: 8,
  });
  expect(turnFeatures({ text: '', recentMessages, conversationDepth: 90 }).conversationDepth).toBe(90);
  expect(turnFeatures({ text: '', attachments: [{}] }).hasAttachments).toBe(true);
});

test('chooses the light model below the threshold and the primary from it on', () => {
  expect(chooseModel({ text: 'hello' })).toEqual({ model: 'light', score: 0, reasons: [] });
  expect(chooseModel({ text: 'x'.repeat(804) })).toEqual({
    model: 'primary',
    score: 0.35,
    reasons: ['more than 200 tokens 0.35'],
  });
  expect(chooseModel({ text: '```a```', threshold: 0.5 })).toEqual({
    model: 'light',
    score: 0.4,
    reasons: ['code block 0.40'],
  });
  expect(chooseModel({ text: '```a```', threshold: 0.4 }).model).toBe('primary');
  for (const threshold of [0, -1, Number.NaN, undefined]) {
    expect(chooseModel({ text: 'hello', threshold }).model).toBe('light');
  }
});

test('scores every turn between 0 and 1, and says why exactly when it is above 0', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), fc.nat(30), (text, conversationDepth) => {
      const { score, reasons } = chooseModel({ text, conversationDepth });
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(reasons.length > 0).toBe(score > 0);
    }),
  );
});
