import { type Message, messageOrigin, type SessionMeta, type StoredMessage } from '@x/session-store';
import { abortable } from './abortable.js';
import type { TurnWork } from './turn-work.js';

/**
 * Whether the profile is to be given before the next user message: the active segment is empty, or `userTurns` has
 * crossed a multiple of `every` since it was given last. Pure; `history` are the newest active messages.
 */
export function isPromptDue(
  session: Pick<SessionMeta, 'activeCount' | 'userTurns' | 'promptInjections'>,
  history: readonly Message[],
  every: number,
): boolean {
  if (session.activeCount === 0) return true;
  if (!(every >= 1)) return false;
  const crossed = Math.floor(session.userTurns / every);
  if (crossed <= session.promptInjections) return false;
  // The counter alone would give it again and again where the setting was smaller or larger before.
  const last = history.findLastIndex((message) => messageOrigin(message) === 'agent-prompt');
  if (last < 0) return true;
  const since = history.slice(last + 1).filter(({ role }) => role === 'user').length;
  return session.userTurns - since < crossed * every;
}

/** The message to be stored before that of the person: none where it is not due, or cannot be had. */
export async function agentPromptMessages(
  { request, signal, logger }: Pick<TurnWork, 'request' | 'signal' | 'logger'>,
  session: SessionMeta,
  history: readonly StoredMessage[],
): Promise<readonly Message[]> {
  const { id, prompt } = request.agent;
  if (prompt === undefined || !isPromptDue(session, history, prompt.reinjectEvery ?? 100)) return [];
  try {
    const content = (await abortable(prompt.read(), signal))?.trim() ?? '';
    return content === '' ? [] : [{ role: 'system', content, meta: { origin: 'agent-prompt' } }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    logger.warn({ agentId: id, sessionKey: session.key, why }, 'The profile of an agent cannot be read.');
    return [];
  }
}
