import type { Turn, TurnEvent, TurnOutcome } from '@x/agent-runtime';
import type { StoredMessage } from '@x/session-store';
import { noticeText } from './notice.js';

/** An answer that is there already, told as a turn tells its own: no surface needs to know the difference. */
export function answeredTurn(sessionKey: string, notice: StoredMessage): Turn {
  const { id, seq } = notice;
  const reply = noticeText(notice) ?? '';
  const turnId = `command-${id}`;
  const outcome: TurnOutcome = { status: 'done', reply, messages: [notice], steps: 0 };
  const inTurn = { sessionKey, turnId };
  const events: readonly TurnEvent[] = [
    { ...inTurn, type: 'accepted', message: notice },
    { ...inTurn, type: 'token', text: reply },
    { ...inTurn, type: 'message', message: notice },
    { ...inTurn, type: 'ended', outcome },
  ];
  return {
    id: turnId,
    sessionKey,
    inputId: id,
    isJoined: false,
    accepted: Promise.resolve({ seq, id }),
    outcome: Promise.resolve(outcome),
    events: {
      async *[Symbol.asyncIterator]() {
        yield* events;
      },
    },
    stop: () => false,
  };
}
