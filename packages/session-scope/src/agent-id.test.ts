import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseAccount, normaliseAgentId } from './index.js';

test.each([
  ['Coder_1', 'coder_1'],
  ['  Support Desk ', 'support-desk'],
  ['büro', 'b-ro'],
  ['--a--', 'a'],
  ['_x', '_x'],
  ['a!!!b', 'a-b'],
  [`${'a'.repeat(63)}!b`, `${'a'.repeat(63)}-`],
  ['A'.repeat(80), 'a'.repeat(64)],
  ['', 'main'],
  ['--', 'main'],
  ['日本', 'main'],
])('spells the agent %j as %j', (written, id) => {
  expect(normaliseAgentId(written)).toBe(id);
});

test('spells an account like an agent, and calls none default', () => {
  expect(normaliseAccount('@Support_Bot')).toBe('support_bot');
  expect(normaliseAccount(undefined)).toBe('default');
});

test('changes nothing the second time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const id = normaliseAgentId(text);
      expect(id).toMatch(/^[a-z0-9_-]{1,64}$/);
      expect(normaliseAgentId(id)).toBe(id);
    }),
  );
});
