import type { Message, ToolCall } from '@x/session-store';
import { parseArguments } from '../tool-arguments.js';

const CALLS_IN_ONE_STEP = 32;
const SAME_CALLS_IN_ONE_TURN = 5;

/**
 * Why a call is not run: the answer makes too many of them, or the turn has made this very call again and again.
 * `earlier` are the messages of the turn so far, the answer with this call not among them; `place` is the call's in
 * its answer. Pure.
 */
export function callRefusal(call: ToolCall, place: number, earlier: readonly Message[]): string | undefined {
  if (place >= CALLS_IN_ONE_STEP) {
    return `Not run: one answer may make ${CALLS_IN_ONE_STEP} calls, and this is one more.`;
  }
  const wanted = identity(call);
  const made = earlier
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .filter((other) => identity(other) === wanted);
  if (made.length < SAME_CALLS_IN_ONE_TURN) return undefined;
  return `Not run: this very call was made ${made.length} times in this turn already. Use the results it gave, do something else, or answer.`;
}

/** Calls are the same whatever blanks and order of names their arguments are written with. */
function identity({ name, arguments: text }: ToolCall): string {
  const parsed = parseArguments(text);
  return JSON.stringify([name, parsed === undefined ? text : sorted(parsed)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1));
  return entries.map(([name, each]) => [name, sorted(each)]);
}
