import { isThought, type StoredMessage } from '@x/session-store';

/**
 * The places at which a history may be cut in two: before a person's message that no tool call is open at. Ids count
 * step by step, since they may come again in a later turn. Ascending; never 0, never behind the newest user message.
 */
export function cutPoints(history: readonly StoredMessage[]): readonly number[] {
  const points: number[] = [];
  let open: string[] = [];
  history.forEach((message, index) => {
    if (isThought(message)) return;
    if (message.role === 'assistant') open = (message.toolCalls ?? []).map(({ id }) => id);
    if (message.role === 'tool') open = without(open, message.toolCallId);
    if (message.role === 'user' && index > 0 && !isAnsweredLater(open, history, index)) points.push(index);
  });
  return points;
}

/** A person may speak before a result comes: then the chain goes on behind the message. */
function isAnsweredLater(open: readonly string[], history: readonly StoredMessage[], index: number): boolean {
  if (open.length === 0) return false;
  for (const message of history.slice(index + 1)) {
    if (message.role === 'assistant' && !isThought(message)) return false;
    if (message.role === 'tool' && open.includes(message.toolCallId ?? '')) return true;
  }
  return false;
}

function without(ids: readonly string[], id: string | undefined): string[] {
  const at = ids.indexOf(id ?? '');
  return at < 0 ? [...ids] : ids.toSpliced(at, 1);
}
