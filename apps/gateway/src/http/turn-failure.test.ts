import { AgentRuntimeError, type TurnOutcome } from '@x/agent-runtime';
import { MessageTooLarge, StoreCorrupt, StoreFull } from '@x/session-store';
import { expect, test } from 'vitest';
import { turnFailure } from './turn-failure.js';

const nothing = { reply: '', messages: [], steps: 0 };
const taken = Promise.resolve({ seq: 1, id: 'a' });
const stored: TurnOutcome['error'] = { code: 'store_failed', message: 'not stored' };

async function failureOf(accepted: Promise<{ seq: number; id: string }>, outcome: Partial<TurnOutcome>) {
  const failure = await turnFailure({ accepted }, { ...nothing, status: 'failed', ...outcome });
  return failure && [failure.status, failure.code];
}

test('a turn that ended well, or was stopped, has not failed', async () => {
  expect(await failureOf(taken, { status: 'done' })).toBeUndefined();
  expect(await failureOf(taken, { status: 'stopped' })).toBeUndefined();
});

test.each([
  [{ error: { code: 'model_failed', message: '' } }, 502, 'model_failed'],
  [{ error: { code: 'model_timeout', message: '' } }, 504, 'model_timeout'],
  [{ error: { code: 'empty_answer', message: '' } }, 502, 'empty_answer'],
  [{ error: stored }, 503, 'store_failed'],
  [{ error: { code: 'step_limit', message: '' } }, 500, 'step_limit'],
  [{}, 500, 'turn_failed'],
  [{ status: 'interrupted' }, 503, 'interrupted'],
] as const)(
  'of a message that was taken in, the turn says what failed: %o',
  async (outcome, status, code) => {
    expect(await failureOf(taken, outcome as Partial<TurnOutcome>)).toEqual([status, code]);
  },
);

test.each([
  [new StoreFull('No room.', { path: '/secret' }), 507, 'store_full'],
  [new MessageTooLarge('Too large.'), 413, 'message_too_large'],
  [new StoreCorrupt('Broken.'), 503, 'store_failed'],
  [new AgentRuntimeError('closed', 'The runtime was closed.'), 503, 'shutting_down'],
  [new Error('something else'), 503, 'store_failed'],
])('of a message that was not, the store does: %s', async (refusal, status, code) => {
  expect(await failureOf(Promise.reject(refusal), { error: stored })).toEqual([status, code]);
});

test('no path of this machine is told', async () => {
  const accepted = Promise.reject(new StoreFull('No room is left in /secret.', { path: '/secret' }));
  const failure = await turnFailure({ accepted }, { ...nothing, status: 'failed', error: stored });
  expect(failure?.message).toBe(
    'No room is left for the sessions: nothing was stored. Make room, then try again.',
  );
});
