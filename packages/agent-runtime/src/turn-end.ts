import { type Message, MessageTooLarge, type StoredMessage } from '@x/session-store';
import type { Transcript } from './transcript.js';
import type { PartialAnswer } from './turn-journal.js';
import type { TurnStatus } from './turn-outcome.js';
import { INTERRUPTED_RESULT, unansweredCalls } from './turn-state.js';

export interface TurnEnd {
  readonly status: Exclude<TurnStatus, 'done'>;
  /** With `failed`: what the person is told. */
  readonly error?: string;
  /** What was shown of an answer that is not in the history yet. */
  readonly partial?: PartialAnswer | undefined;
  readonly modelName?: string;
  /** Why it was told to end. */
  readonly reason?: string;
}

const STOPPED_RESULT = 'Stopped before a result was recorded. It may or may not have run.';

/** Results for the calls that a history still owes one, each told the same. */
export function owedResults(history: readonly Message[], text = INTERRUPTED_RESULT): readonly Message[] {
  return unansweredCalls(history).map((call) => ({
    role: 'tool',
    content: text,
    toolCallId: call.id,
    toolName: call.name,
    meta: { status: 'interrupted' },
  }));
}

/**
 * What must be appended so that a turn which did not end well is closed: its open calls are answered, and the last
 * word is an assistant message that carries the text so far, or a sentence where there was none.
 */
export function closingMessages(history: readonly Message[], end: TurnEnd): readonly Message[] {
  const { status, error, partial, modelName, reason } = end;
  const said = partial !== undefined && partial.text.trim() !== '' ? partial : undefined;
  return [
    ...owedResults(history, status === 'stopped' ? STOPPED_RESULT : INTERRUPTED_RESULT),
    {
      ...(said === undefined ? {} : { id: said.messageId }),
      role: 'assistant',
      content:
        said?.text ??
        error ??
        (status === 'stopped' ? 'Stopped before an answer.' : 'Interrupted before an answer.'),
      ...(modelName === undefined ? {} : { modelName }),
      meta: {
        status,
        ...(error === undefined ? {} : { error }),
        ...(reason === undefined ? {} : { reason }),
      },
    },
  ];
}

/** Stores what closes a turn. Of an answer that is too large to be stored the end alone is kept. */
export async function storeEnd(transcript: Transcript, end: TurnEnd): Promise<readonly StoredMessage[]> {
  const store = (partial: TurnEnd['partial']) =>
    transcript.appendAll(closingMessages(transcript.history(), { ...end, partial }));
  try {
    return await store(end.partial);
  } catch (error) {
    if (!(error instanceof MessageTooLarge) || end.partial === undefined) throw error;
    return store(undefined);
  }
}
