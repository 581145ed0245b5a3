import { buildScope, type InboundContext } from '@x/session-scope';
import { newMeta } from '@x/session-store';
import { expect, test } from 'vitest';
import { mayChange } from './command-permission.js';

const context: InboundContext = { channel: 'telegram', chatType: 'group', chatId: '-100', senderId: '7' };
const session = (dimensions: readonly ('chat' | 'sender')[], more: Partial<InboundContext> = {}) => {
  const scope = buildScope('main', { ...context, ...more }, { dimensions, identityLinks: {} });
  return newMeta('key', { scope }, '2026-01-01T00:00:00.000Z');
};
const ann = { channel: 'telegram', senderId: '7', name: '7', isInGroup: true };
const linkedAnn = { ...ann, name: 'ann' };
const alone = { ...ann, isInGroup: false };
const settings = (admins: readonly string[], isOpenToGroups = false) => ({ admins, isOpenToGroups });

test.each([
  ['their own chat', session(['chat'], { chatType: 'direct' }), alone, settings([]), true],
  ['their own conversation in a group', session(['chat', 'sender']), ann, settings([]), true],
  ['that of another there', session(['chat', 'sender'], { senderId: '8' }), ann, settings([]), false],
  ['what a group shares', session(['chat']), ann, settings([]), false],
  ['the same from a chat of their own', session(['chat']), alone, settings([]), false],
  ['what a group is bound to', session(['chat'], { chatType: 'direct' }), ann, settings([]), false],
  ['what all chats share', session([]), alone, settings([]), false],
  ['a session by its older name', newMeta('agent:main:telegram:direct:7', {}, ''), alone, settings([]), true],
  ['a group by its older name', newMeta('agent:main:telegram:group:7', {}, ''), alone, settings([]), false],
  ['what a group shares, where they are named', session(['chat']), linkedAnn, settings(['ann']), true],
  ['the same, where their id is named', session(['chat']), ann, settings(['telegram:7']), true],
  [
    'the same, where the id of another channel is named',
    session(['chat']),
    ann,
    settings(['slack:7']),
    false,
  ],
  ['the same, where everybody may', session(['chat']), ann, settings([], true), true],
])('a person and %s', (_what, shared, who, rules, may) => {
  expect(mayChange(shared, who, rules)).toBe(may);
});

test('a nameless person has no rights by being nameless', () => {
  const nobody = { channel: 'telegram', senderId: undefined, name: undefined, isInGroup: true };
  expect(mayChange(session(['chat']), nobody, settings(['']))).toBe(false);
});
