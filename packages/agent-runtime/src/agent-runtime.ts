import type { SessionBackend } from '@x/session-store';
import type { Turn, TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnJournal } from './turn-journal.js';

/**
 * Runs turns: one at a time in a session, in the order they were submitted; sessions in parallel. Reserving a
 * session is part of `submit`, so that there is no moment between "is it busy" and "run".
 */
export interface AgentRuntime {
  /** Resolves as soon as the turn is reserved. Rejects with `AgentRuntimeError` where it will not run. */
  submit(request: TurnRequest): Promise<Turn>;
  /** Ends the turn that runs in this session, with the reason kept as `meta.reason`; false, and nothing more, where none does. What waits behind it still runs. */
  stop(sessionKey: string, reason: string): boolean;
  /** The turn that runs in this session: its `events` give everything from its beginning. */
  running(sessionKey: string): Turn | undefined;
  active(): readonly ActiveTurn[];
  /** Every event of every turn, as it happens. Returns what ends the subscription. */
  subscribe(listener: (event: TurnEvent) => void): () => void;
  /** Closes the turns that the journal says were cut off. Call it once, before the first `submit`. */
  recover(): Promise<readonly RecoveredTurn[]>;
  /** No more turns: running ones get `graceMs` (default 0), then end as interrupted; waiting ones do not begin. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface ActiveTurn {
  readonly turn: Turn;
  readonly startedAt: string;
  /** Turns that wait behind it in the same session. */
  readonly queued: number;
}

export interface RecoveredTurn {
  readonly sessionKey: string;
  readonly turnId: string;
  readonly inputId: string;
  /** False where the history already showed its end. */
  readonly interrupted: boolean;
}

export interface AgentRuntimeOptions {
  readonly backend: SessionBackend;
  readonly journal?: TurnJournal;
  readonly clock?: () => Date;
  readonly createId?: () => string;
  /** Told what went wrong beside a turn: refused aliases (once each), a journal or a listener that fails. */
  readonly logger?: RuntimeLogger;
  readonly limits?: RuntimeLimits;
}

export interface RuntimeLogger {
  warn(facts: Readonly<Record<string, unknown>>, sentence: string): void;
}

export interface RuntimeLimits {
  /** Default 16. */
  readonly parallelTurns?: number;
  /** Turns that may wait in one session before `submit` rejects with `queue_full`. Default 100. */
  readonly queuedPerSession?: number;
  /** The newest active messages that reach the model. Default 500. */
  readonly historyMessages?: number;
  /** The wait before the first repetition of a model call; doubled each time. Default 500. */
  readonly retryDelayMs?: number;
}
