import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentRuntime } from '@x/agent-runtime';

/** Ends what runs in a session and what waits behind it: that was said to the conversation as it was. */
export async function endTurns(runtime: AgentRuntime, sessionKey: string, reason: string): Promise<void> {
  for (;;) {
    const turn = runtime.running(sessionKey);
    if (turn === undefined) return;
    turn.stop(reason);
    await turn.outcome;
    // The next one that waited begins before it can be seen.
    await nextTick();
  }
}
