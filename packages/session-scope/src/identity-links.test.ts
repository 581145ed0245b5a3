import { expect, test } from 'vitest';
import { resolveIdentity } from './index.js';

const identityLinks = {
  Ann: ['telegram:123', 'U9', 'matrix:@Ann:example.org'],
  ' Bo ': ['discord:7', ' slack:u2 '],
  ' ': ['9'],
};

test.each([
  ['telegram', '123', 'ann', 'the id under its channel'],
  ['discord', '123', '123', 'the same id elsewhere is somebody else'],
  ['slack', ' u9 ', 'ann', 'the id itself, whatever its case and padding'],
  ['Slack', 'U2', 'bo', 'a canonical name is trimmed and folded'],
  ['matrix', '@ann:example.org', 'ann', 'ids may hold colons'],
  ['feishu', 'user:U9', 'ann', 'what follows the prefix of the id'],
  ['feishu', 'u9:', 'u9:', 'nothing follows the colon'],
  ['feishu', ':u9', ':u9', 'nothing stands before the colon'],
  ['feishu', '9', '9', 'a link without a name links nobody'],
])('on %s, %j is %j: %s', (channel, senderId, name) => {
  expect(resolveIdentity(channel, senderId, { identityLinks })).toBe(name);
});

test('has no name for nobody', () => {
  expect(resolveIdentity('telegram', undefined, { identityLinks })).toBeUndefined();
  expect(resolveIdentity('telegram', '\u00a0', { identityLinks })).toBeUndefined();
});

test('gives an id in two links to the first, whichever of its forms is linked', () => {
  const twice = { First: ['telegram:1'], Second: ['1', 'telegram:1'] };
  expect(resolveIdentity('telegram', '1', { identityLinks: twice })).toBe('first');
  expect(resolveIdentity('slack', '1', { identityLinks: twice })).toBe('second');
});

test('links exact ids where case matters', () => {
  const policy = {
    identityLinks: { Ann: ['Signal:AbC'], Bo: ['Signal:aBc'] },
    caseSensitiveChannels: [' Signal'],
  };
  expect(resolveIdentity('signal', 'AbC', policy)).toBe('ann');
  expect(resolveIdentity('signal', 'aBc', policy)).toBe('bo');
  expect(resolveIdentity('signal', 'ABC', policy)).toBe('ABC');
});

test('sees a change of links that are not frozen, and answers the same for frozen ones', () => {
  const links: Record<string, string[]> = { Ann: ['1'] };
  expect(resolveIdentity('x', '1', { identityLinks: links })).toBe('ann');
  links.Bo = ['2'];
  expect(resolveIdentity('x', '2', { identityLinks: links })).toBe('bo');
  const frozen = Object.freeze({ Ann: Object.freeze(['1']) });
  expect(resolveIdentity('x', '1', { identityLinks: frozen })).toBe('ann');
  expect(resolveIdentity('x', '1', { identityLinks: frozen })).toBe('ann');
});

test('is not fooled by names that every object has', () => {
  expect(resolveIdentity('x', 'constructor', { identityLinks: {} })).toBe('constructor');
  const links = JSON.parse('{"__proto__": ["1"], "constructor": ["2"]}');
  expect(resolveIdentity('x', '1', { identityLinks: links })).toBe('__proto__');
  expect(resolveIdentity('x', '2', { identityLinks: links })).toBe('constructor');
});
