import type { ToolCall } from '@x/session-store';

/*
 * Ids and names of tool calls. A model writes what it likes; a store needs them non-empty and, within one
 * message, different; a provider needs them of few characters and different in the whole request.
 */

/** The calls of one model step as they are stored: blanks filled, ids made different within the block. */
export function storableCalls(calls: readonly ToolCall[], createId: () => string): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const wanted = call.id.trim() === '' ? `call_${createId()}` : call.id;
    const id = unused(wanted, taken);
    taken.add(id);
    return { id, name: call.name.trim() === '' ? 'unnamed_tool' : call.name, arguments: call.arguments };
  });
}

/** OpenAI takes ids of 40 characters; some are left for the number that makes one different. */
const LONGEST_ID = 34;

/** Gives each call of a request an id that every provider takes and no other call of the request has. */
export function requestIds(): (storedId: string) => string {
  const taken = new Set<string>();
  return (storedId) => {
    const id = unused(legal(storedId, LONGEST_ID) || 'call', taken);
    taken.add(id);
    return id;
  };
}

export function requestName(storedName: string): string {
  return legal(storedName, 64) || 'unnamed_tool';
}

function legal(text: string, longest: number): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longest);
}

function unused(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}_${count}`)) count += 1;
  return `${wanted}_${count}`;
}
