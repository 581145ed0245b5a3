import { buildScope, type InboundContext } from '@x/session-scope';
import { newMeta } from '@x/session-store';
import { expect, test } from 'vitest';
import { mayChange } from './command-permission.js';

const context: InboundContext = { channel: 'telegram', chatType: 'group', chatId: '-100', senderId: '7' };
const session = (dimensions: readonly ('chat' | 'sender')[], more: Partial<InboundContext> = {}) => {
  const scope = buildScope('main', { ...context, ...more }, { dimensions, identityLinks: {} });
  return newMeta('key', { scope }, '2026-01-01T00:00:00.000Z');
};
const ann = { channel: 'telegram', senderId: '7', name: 'ann' };
const settings = (admins: readonly string[], isOpenToGroups = false) => ({ admins, isOpenToGroups });

test.each([
  ['their own chat', session(['chat'], { chatType: 'direct' }), settings([]), true],
  ['their own conversation in a group', session(['chat', 'sender']), settings([]), true],
  ['what a group shares', session(['chat']), settings([]), false],
  ['the same, where they are named', session(['chat']), settings(['ann']), true],
  ['the same, where their id is named', session(['chat']), settings(['telegram:7']), true],
  ['the same, where the id of another channel is named', session(['chat']), settings(['slack:7']), false],
  ['the same, where everybody may', session(['chat']), settings([], true), true],
])('a person and %s', (_what, shared, rules, may) => {
  expect(mayChange(shared, ann, rules)).toBe(may);
});

test('a nameless person has no rights by being nameless', () => {
  expect(
    mayChange(
      session(['chat']),
      { channel: 'telegram', senderId: undefined, name: undefined },
      settings(['']),
    ),
  ).toBe(false);
});
