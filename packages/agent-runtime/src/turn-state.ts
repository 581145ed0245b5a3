import { isThought, type Message, type ToolCall } from '@x/session-store';

/**
 * How the newest turn of a history stands. `idle`: there is none · `unfinished`: its last message waits for an
 * answer, so that it either runs or was cut off · the others: how it ended.
 */
export type TurnState = 'idle' | 'unfinished' | 'done' | 'stopped' | 'failed' | 'interrupted';

/** Looks at the end only: the newest few messages of the active segment, in seq order, are enough. */
export function turnState(messages: readonly Message[]): TurnState {
  const last = messages.findLast((message) => message.role !== 'system' && !isThought(message));
  if (last === undefined) return 'idle';
  if (last.role !== 'assistant' || (last.toolCalls?.length ?? 0) > 0) return 'unfinished';
  const status = last.meta?.status;
  return status === 'stopped' || status === 'failed' || status === 'interrupted' ? status : 'done';
}

/** The result of a call that nobody knows the outcome of. It may have had its effect: the model is told so. */
export const INTERRUPTED_RESULT = 'Interrupted before a result was recorded. It may or may not have run.';

/** The calls at the end of a history that have no result yet: those of its last answer, if nothing but results follows. */
export function unansweredCalls(messages: readonly Message[]): readonly ToolCall[] {
  const answered: (string | undefined)[] = [];
  for (const message of messages.toReversed()) {
    if (message.role === 'tool') answered.push(message.toolCallId);
    if (message.role !== 'assistant' || isThought(message)) continue;
    return (message.toolCalls ?? []).filter((call) => {
      const at = answered.indexOf(call.id);
      if (at >= 0) answered.splice(at, 1);
      return at < 0;
    });
  }
  return [];
}
