import type { Turn, TurnOutcome } from '@x/agent-runtime';
import { RequestError, type RequestStatus } from '../request-error.js';
import { asRequestError } from './problem.js';

/**
 * Why a turn did not end well, as its caller is told; undefined where it did. Of a message that was never taken in,
 * the store itself says why: it may be too large, or the disk full.
 */
export async function turnFailure(
  turn: Pick<Turn, 'accepted'>,
  outcome: TurnOutcome,
): Promise<RequestError | undefined> {
  if (outcome.status === 'done' || outcome.status === 'stopped') return undefined;
  // Settled before the outcome is.
  const refusal = await turn.accepted.then(() => undefined, asRequestError);
  if (refusal !== undefined) return refusal;
  const { code, message } = outcome.error ?? WITHOUT_WORDS[outcome.status];
  return new RequestError(statusOf(code), code, message);
}

const WITHOUT_WORDS = {
  failed: { code: 'turn_failed', message: 'The turn failed.' },
  interrupted: { code: 'interrupted', message: 'The gateway stopped before the answer was complete.' },
};

function statusOf(code: string): RequestStatus {
  if (code === 'model_timeout') return 504;
  if (code === 'model_failed' || code === 'empty_answer') return 502;
  return code === 'store_failed' || code === 'interrupted' ? 503 : 500;
}
