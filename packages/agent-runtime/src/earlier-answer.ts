import { messageText, type SessionBackend, type StoredMessage } from '@x/session-store';
import type { TurnOutcome } from './turn-outcome.js';
import { turnState } from './turn-state.js';

/**
 * What became of a message that was stored before; undefined where it should be answered now: it has no good
 * answer, nothing was said after it, and the model still sees it. Later, an answer would come out of order.
 */
export async function earlierAnswer(
  backend: SessionBackend,
  sessionKey: string,
  cutoff: number,
  input: StoredMessage,
): Promise<TurnOutcome | undefined> {
  const behind = await backend.read(sessionKey, { segment: 'all', after: input.seq, limit: 500 });
  const next = behind.findIndex((message) => message.role === 'user');
  const messages = next < 0 ? behind : behind.slice(0, next);
  const state = turnState([input, ...messages]);
  const isOver = state === 'done' || state === 'stopped';
  if (!isOver && next < 0 && input.seq > cutoff) return undefined;

  const last = messages.findLast((message) => message.role === 'assistant');
  const reply = last === undefined ? '' : messageText(last);
  const kept = { reply, messages, steps: 0 };
  if (state === 'failed') {
    const sentence = last?.meta?.error;
    const message = typeof sentence === 'string' ? sentence : 'The turn failed.';
    return { ...kept, status: 'failed', error: { code: 'model_failed', message } };
  }
  return { ...kept, status: isOver ? state : 'interrupted' };
}
