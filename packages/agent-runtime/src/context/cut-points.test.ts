import type { StoredMessage } from '@x/session-store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answer, histories, result, stored, user } from '../../test/histories.js';
import { cutPoints } from './cut-points.js';

it.each<[string, readonly StoredMessage[], readonly number[]]>([
  ['not before the first message', stored([user('u'), answer('a')]), []],
  ['before each later question', stored([user('u'), answer('a'), user('v'), answer('b'), user('w')]), [2, 4]],
  [
    'never between a call and its result',
    stored([
      user('u'),
      answer('', 'A', 'B'),
      result('A', '1'),
      user('v'),
      result('B', '2'),
      answer('a'),
      user('w'),
    ]),
    [6],
  ],
  [
    'behind a call that was never answered, since nothing of it lies behind',
    stored([user('u'), answer('', 'A'), user('v'), answer('b')]),
    [2],
  ],
  [
    'judging ids within their own step: the same one is used again later',
    stored([user('u'), answer('', 'c'), result('c', '1'), user('v'), answer('', 'c'), result('c', '2')]),
    [3],
  ],
])('may cut %s', (_case, history, points) => {
  expect(cutPoints(history)).toEqual(points);
});

it('no cut separates a result from its call', () => {
  fc.assert(
    fc.property(histories, (history) => {
      for (const point of cutPoints(history)) {
        const block = history.slice(0, point).findLastIndex(({ role }) => role === 'assistant');
        const calls = history[block]?.toolCalls ?? [];
        const answered = history.slice(block, point).map(({ toolCallId }) => toolCallId);
        const next = history.findIndex(({ role }, index) => index > point && role === 'assistant');
        const behind = history.slice(point, next < 0 ? undefined : next);
        const late = behind.filter(
          ({ role, toolCallId }) =>
            role === 'tool' && calls.some(({ id }) => id === toolCallId) && !answered.includes(toolCallId),
        );
        expect(late).toEqual([]);
        expect(history[point]?.role).toBe('user');
      }
    }),
  );
});
