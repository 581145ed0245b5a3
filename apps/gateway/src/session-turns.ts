import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentRuntime, Turn } from '@x/agent-runtime';

/** Waits for what runs in a session and for what waits behind it; `each` is told of a turn before it is waited for. */
export async function outlastTurns(
  runtime: AgentRuntime,
  sessionKey: string,
  each: (turn: Turn) => void = () => {},
): Promise<void> {
  for (let turn = runtime.running(sessionKey); turn !== undefined; turn = runtime.running(sessionKey)) {
    each(turn);
    await turn.outcome;
    // The next one that waited begins before it can be seen.
    await nextTick();
  }
}

/** Ends what runs in a session and what waits behind it: that was said to the conversation as it was. */
export function endTurns(runtime: AgentRuntime, sessionKey: string, reason: string): Promise<void> {
  return outlastTurns(runtime, sessionKey, (turn) => turn.stop(reason));
}
