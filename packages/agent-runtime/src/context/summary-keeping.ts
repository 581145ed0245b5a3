import {
  type Message,
  messageOrigin,
  type SessionBackend,
  type SessionMeta,
  type StoredMessage,
} from '@x/session-store';
import { ModelFailure } from '../model-failure.js';

export interface FinishedSummary {
  readonly backend: SessionBackend;
  readonly sessionKey: string;
  /** What became the summary, and what stays behind it. */
  readonly older: readonly StoredMessage[];
  readonly kept: readonly StoredMessage[];
  readonly written: string;
  /** How the session was when the summary was begun. */
  readonly before: Pick<SessionMeta, 'cutoff' | 'summary'>;
  readonly append: (message: Message) => Promise<unknown>;
}

/**
 * Moves summary and cutoff in one step; whatever was said meanwhile lies behind the cut and stays. Rejects where the
 * session was reset or cut since: what is written then belongs to nothing.
 */
export async function keepSummary(finished: FinishedSummary): Promise<SessionMeta> {
  const { backend, sessionKey, older, kept, written, before, append } = finished;
  const now = await backend.meta(sessionKey);
  if (now?.cutoff !== before.cutoff || now.summary !== before.summary) {
    throw new ModelFailure('turn_failed', 'The session was reset or cut while its summary was written.');
  }
  // First, so that a crash in between leaves them twice and not never; said twice, they are sent once.
  for (const { content, meta } of instructionsToKeep(older, kept)) {
    await append({ role: 'system', content, meta: { ...meta, carried: true } });
  }
  return backend.truncate(sessionKey, { throughSeq: older.at(-1)?.seq ?? before.cutoff, summary: written });
}

/** System messages of the older part that nothing later repeats; of an agent's profile the newest only. */
function instructionsToKeep(
  older: readonly StoredMessage[],
  kept: readonly StoredMessage[],
): readonly StoredMessage[] {
  const told = new Set<string>();
  const instructions = [...older, ...kept].filter(({ role }) => role === 'system').toReversed();
  const newest = instructions.filter((message) => {
    const name = messageOrigin(message) === 'agent-prompt' ? 'profile' : JSON.stringify(message.content);
    const isNew = !told.has(name);
    told.add(name);
    return isNew;
  });
  return newest.filter((message) => older.includes(message)).toReversed();
}
