import { type SummarisedSession, summariseSession } from '@x/agent-runtime';
import type { ChatCommand } from './command-call.js';

const PATIENCE_MS = 120_000;

export const COMPACT: ChatCommand = {
  name: 'compact',
  usage: '/compact',
  summary: 'puts what is older into a summary; nothing is deleted',
  changes: () => true,
  async run({ house: { agents, backend, runtime }, session, agentId }) {
    if (runtime.running(session.key) !== undefined)
      return { answer: 'An answer is coming. Ask again when it is there.' };
    const { model } = session.attributes;
    const agent = agents.get(agentId, typeof model === 'string' ? model : undefined);
    let summarised: SummarisedSession | undefined;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      summarised = await summariseSession({ backend, sessionKey: session.key, agent, signal });
    } catch (error) {
      // Its sentences are safe to show.
      const reason = error instanceof Error ? error.message : 'The model gave no summary.';
      return { answer: `Everything stays as it was. ${reason}` };
    }
    if (summarised === undefined) return { answer: 'There is nothing to put into a summary yet.' };
    return { answer: `${summarised.messages} messages became a summary:\n\n${summarised.summary}` };
  },
};
