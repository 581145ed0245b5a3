import { describe, expect, it } from 'vitest';
import { encodingOf, estimateTokens, tokenCounter } from './token-count.js';

describe('the estimate', () => {
  it.each([
    ['', 0],
    ['word', 1],
    ['hello', 2],
    ['你好世界', 4],
    ['こんにちは', 5],
    ['안녕 hello', 4],
    ['👍👍👍👍', 1],
    ['𠀀', 1],
  ])('%j is about %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe('an exact count', () => {
  it.each([
    ['openai:gpt-4.1-mini', 'o200k_base'],
    ['gpt-5', 'o200k_base'],
    ['openai:o3', 'o200k_base'],
    ['openai:gpt-4', 'cl100k_base'],
    ['openai:gpt-3.5-turbo', 'cl100k_base'],
    ['anthropic:claude-sonnet-4-5', undefined],
    ['offline', undefined],
  ])('%s has the vocabulary %s', (name, encoding) => {
    expect(encodingOf(name)).toBe(encoding);
  });

  it('is the vocabulary’s for the models it knows, and the estimate for others', async () => {
    const exact = await tokenCounter('openai:gpt-4.1');
    expect(exact('Holdfast keeps what was said.')).toBe(7);
    expect(exact('<|endoftext|>')).toBeGreaterThan(1);
    expect(await tokenCounter('llama')).toBe(estimateTokens);
  });

  it('estimates runs without a break, which would take time that grows with their square', async () => {
    const exact = await tokenCounter('openai:gpt-4.1');
    expect(exact('你'.repeat(50_000))).toBeGreaterThanOrEqual(50_000);
    expect(exact('a'.repeat(100_000))).toBeGreaterThanOrEqual(25_000);
    expect(exact('\n'.repeat(100_000))).toBeGreaterThanOrEqual(25_000);
  });
});
