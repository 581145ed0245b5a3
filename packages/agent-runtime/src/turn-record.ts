import type { Message, StoredMessage } from '@x/session-store';
import { messageText, SessionStoreError } from '@x/session-store';
import { ModelFailure } from './model-failure.js';
import type { Transcript } from './transcript.js';
import type { PartialAnswer } from './turn-journal.js';
import type { TurnFailure, TurnOutcome, TurnStatus } from './turn-outcome.js';
import type { StepUsage } from './usage.js';

/** What a turn has done so far. */
export interface TurnRecord {
  /** Assistant and tool messages, stored. */
  readonly messages: StoredMessage[];
  steps: number;
  usage: StepUsage | undefined;
  /** What was shown of the answer that is not stored yet. */
  partial: PartialAnswer | undefined;
  /** Where the turn began; undefined until its message is stored. */
  firstSeq: number | undefined;
}

export function newTurnRecord(): TurnRecord {
  return { messages: [], steps: 0, usage: undefined, partial: undefined, firstSeq: undefined };
}

/** Stores a message of the turn and says so, in this order. */
export async function keep(
  record: TurnRecord,
  transcript: Transcript,
  message: Message,
  emit: (event: { readonly type: 'message'; readonly message: StoredMessage }) => void,
): Promise<void> {
  const stored = await transcript.append(message);
  record.messages.push(stored.message);
  emit({ type: 'message', message: stored.message });
}

export function turnOutcome(status: TurnStatus, record: TurnRecord, error?: TurnFailure): TurnOutcome {
  const answers = record.messages.filter(
    ({ role, toolCalls }) => role === 'assistant' && (toolCalls?.length ?? 0) === 0,
  );
  return {
    status,
    reply: answers.map(messageText).join('\n\n'),
    messages: record.messages,
    steps: record.steps,
    ...(record.usage === undefined ? {} : { usage: record.usage }),
    ...(error === undefined ? {} : { error }),
  };
}

/** What a person is told; paths, causes and traces are for the log. */
export function turnFailure(error: unknown): TurnFailure {
  if (error instanceof ModelFailure) return { code: error.code, message: error.message };
  if (error instanceof SessionStoreError) {
    return { code: 'store_failed', message: `The session could not be stored (${error.code}).` };
  }
  return { code: 'turn_failed', message: 'The turn failed for a reason of its own; the log says more.' };
}
