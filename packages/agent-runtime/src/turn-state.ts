import { isThought, type Message } from '@x/session-store';

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
  const status = last.meta?.['status'];
  return status === 'stopped' || status === 'failed' || status === 'interrupted' ? status : 'done';
}
