import type { Message } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { allowedCalls, permissionAnswer, permissionQuestion } from './permission.js';

describe('an answer to a question for permission', () => {
  it.each(['yes', 'Yes!', ' OK. ', 'Ja', 'Sí', 'да', 'はい', '好的。', '可以', '네', '👍', 'go ahead'])(
    '%j is a yes',
    (text) => {
      expect(permissionAnswer(text)).toBe('once');
    },
  );
  it.each(['always', 'Always.', 'immer', '总是'])('%j is a yes for the session', (text) => {
    expect(permissionAnswer(text)).toBe('always');
  });
  it.each(['no', '', 'yes, but only the first line', 'not ok', 'yes?? what is it for', '不可以', 'never'])(
    '%j is no yes',
    (text) => {
      expect(permissionAnswer(text)).toBeUndefined();
    },
  );
});

describe('the calls that are allowed', () => {
  const call = { id: 'c', name: 'write', arguments: '{"path":"a`b"}' };
  const question = permissionQuestion([call]);
  const yes: Message = { role: 'user', content: 'yes' };

  it('are those of the question, as the model wrote them', () => {
    expect(allowedCalls([question, yes])).toEqual({
      calls: [{ name: 'write', arguments: '{"path":"a`b"}' }],
      answer: 'once',
    });
  });

  it.each<[string, readonly Message[]]>([
    [
      'something was said in between',
      [question, { role: 'user', content: 'what for?' }, { role: 'assistant', content: 'For you.' }, yes],
    ],
    ['nothing was asked', [{ role: 'assistant', content: 'May I run `write`?' }, yes]],
    ['a schedule says it', [question, { ...yes, meta: { origin: 'schedule' } }]],
    ['the question itself is malformed', [{ ...question, meta: { asksToRun: [7, { name: 'x' }] } }, yes]],
    ['a yes stands alone', [yes]],
  ])('are none where %s', (_case, history) => {
    expect(allowedCalls(history)).toBeUndefined();
  });
});
