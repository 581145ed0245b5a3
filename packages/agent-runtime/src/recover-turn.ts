import { type SessionBackend, SessionNotFound, type StoredMessage } from '@x/session-store';
import type { RecoveredTurn } from './agent-runtime.js';
import type { RuntimeLogger } from './runtime-logger.js';
import { openTranscript } from './transcript.js';
import { storeEnd } from './turn-end.js';
import type { TurnEvent } from './turn-event.js';
import type { OpenTurn, TurnJournal } from './turn-journal.js';
import { turnState } from './turn-state.js';

/** More than any turn stores, so that its input is in sight. */
const TAIL = 500;

/**
 * Closes a turn that the death of the process cut off, once: the history is judged anew each time, and the part of
 * the answer that was shown is stored under the id that its message would have had. Never rejects: a session that
 * cannot be mended now stays in the journal.
 */
export async function recoverTurn(
  open: OpenTurn,
  place: {
    readonly backend: SessionBackend;
    readonly journal: TurnJournal;
    readonly logger: RuntimeLogger;
    readonly clock: () => Date;
    readonly createId: () => string;
    readonly publish: (event: TurnEvent) => void;
  },
): Promise<RecoveredTurn & { readonly input?: StoredMessage }> {
  const { journal, logger, publish } = place;
  const { sessionKey, turnId, inputId, partial } = open;
  let interrupted = false;
  let input: StoredMessage | undefined;
  try {
    const transcript = await openTranscript({ ...place, sessionKey, limit: TAIL });
    const history = transcript.history();
    input = history.find(({ id, role }) => id === inputId && role === 'user');
    if (turnState(history) === 'unfinished') {
      const isShown =
        history.some(({ id }) => id === inputId) && !history.some(({ id }) => id === partial?.messageId);
      const end = { status: 'interrupted', partial: isShown ? partial : undefined } as const;
      for (const message of await storeEnd(transcript, end)) {
        publish({ type: 'healed', sessionKey, turnId, message });
      }
      interrupted = true;
    }
    await journal.end(turnId);
  } catch (error) {
    if (error instanceof SessionNotFound) await journal.end(turnId).catch(() => {});
    logger.warn({ sessionKey, turnId, error }, 'A turn that was cut off could not be closed.');
  }
  return { sessionKey, turnId, inputId, interrupted, ...(input === undefined ? {} : { input }) };
}
