import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { type AgentSpec, SUMMARY_INSTRUCTIONS } from '@x/agent-runtime';
import { isThought, type Message, messageOrigin, messageText, type StoredMessage } from '@x/session-store';
import type { ChatCommand } from './command-call.js';

/** Turns of a person that stay word for word. */
const TURNS_KEPT = 2;
const MOST_CHARACTERS = 60_000;
const PATIENCE_MS = 120_000;

export const COMPACT: ChatCommand = {
  name: 'compact',
  usage: '/compact',
  summary: 'puts what is older into a summary; nothing is deleted',
  changes: () => true,
  async run({ house, session, agentId }) {
    const { backend, runtime, agents } = house;
    if (runtime.running(session.key) !== undefined)
      return { answer: 'An answer is coming. Ask again when it is there.' };
    const messages = await backend.read(session.key);
    const turns = messages.filter((message) => messageOrigin(message) === 'person');
    const firstKept = turns.at(-TURNS_KEPT);
    const older = messages.filter(({ seq }) => firstKept !== undefined && seq < firstKept.seq);
    if (firstKept === undefined || older.every(isThought))
      return { answer: 'There is nothing to put into a summary yet.' };
    const { model } = session.attributes;
    const agent = agents.get(agentId, typeof model === 'string' ? model : undefined);
    const summary = await summarise(agent, session.summary, older);
    if (summary === undefined)
      return { answer: 'The model gave no summary, so that everything stays as it was.' };
    const now = await backend.meta(session.key);
    if (now?.cutoff !== session.cutoff || now.summary !== session.summary)
      return {
        answer: 'The conversation was cut while its summary was written, so that everything stays as it is.',
      };
    // First, so that a crash in between leaves them twice and not never.
    const kept = messages.filter(({ seq }) => seq >= firstKept.seq);
    await backend.append(session.key, instructionsToKeep(older, kept));
    await backend.truncate(session.key, { throughSeq: firstKept.seq - 1, summary });
    return { answer: `${older.length} messages became a summary:\n\n${summary}` };
  },
};

/** What an agent was told, as far as nothing later tells it again; of its profile the newest. */
function instructionsToKeep(
  older: readonly StoredMessage[],
  kept: readonly StoredMessage[],
): readonly Message[] {
  const isProfile = (message: Message) => messageOrigin(message) === 'agent-prompt';
  const told = new Set<string>();
  const instructions: Message[] = [];
  for (const message of [...older, ...kept].filter(({ role }) => role === 'system').toReversed()) {
    const name = isProfile(message) ? 'profile' : JSON.stringify(message.content);
    if (told.has(name)) continue;
    told.add(name);
    const { content, meta } = message;
    if (older.includes(message))
      instructions.unshift({ role: 'system', content, ...(meta !== undefined && { meta }) });
  }
  return instructions;
}

/** Undefined where the model fails, says nothing, or is cut off: half a summary would lose the other half. */
async function summarise(
  agent: AgentSpec,
  earlier: string,
  messages: readonly StoredMessage[],
): Promise<string | undefined> {
  const told = [...(earlier === '' ? [] : [`The memory so far:\n${earlier}`]), ...messages.map(lineOf)].join(
    '\n',
  );
  const prompt: LanguageModelV3Prompt = [
    { role: 'system', content: SUMMARY_INSTRUCTIONS },
    { role: 'user', content: [{ type: 'text', text: told.slice(-MOST_CHARACTERS) }] },
  ];
  try {
    const { stream } = await agent.model.doStream({ prompt, abortSignal: AbortSignal.timeout(PATIENCE_MS) });
    let text = '';
    let isWhole = false;
    for await (const part of stream) {
      if (part.type === 'text-delta') text += part.delta;
      if (part.type === 'error') return undefined;
      if (part.type === 'finish') isWhole = part.finishReason.unified === 'stop';
    }
    return isWhole && text.trim() !== '' ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(message: Message): string {
  return isThought(message) || message.role === 'system' ? '' : `${message.role}: ${messageText(message)}`;
}
