import type { SessionBackend, SessionMeta } from '@x/session-store';
import type { AgentSpec } from './agent.js';
import type { RuntimeLogger } from './runtime-logger.js';
import type { Turn, TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnJournal } from './turn-journal.js';
import type { StopMode } from './turn-stopping.js';

/**
 * Runs turns: one at a time in a session, in the order they were submitted; sessions in parallel. Reserving a
 * session is part of `submit`, so that there is no moment between "is it busy" and "run".
 */
export interface AgentRuntime {
  /** Resolves as soon as the turn is reserved. Rejects with `AgentRuntimeError` where it will not run. */
  submit(request: TurnRequest): Promise<Turn>;
  /** Ends what runs in this session, sub-turns included, with the reason kept as `meta.reason`; false, and nothing more, where nothing does. What waits behind it still runs. Default `now`. */
  stop(sessionKey: string, reason: string, mode?: StopMode): boolean;
  /** Runs what waits in an idle session, by that session's own agent; undefined where nothing does, or nobody knows the agent. */
  continue(sessionKey: string): Promise<Turn | undefined>;
  /** The turn that runs in this session: its `events` give everything from its beginning. */
  running(sessionKey: string): Turn | undefined;
  active(): readonly ActiveTurn[];
  /** Every event of every turn, as it happens. Returns what ends the subscription. */
  subscribe(listener: (event: TurnEvent) => void): () => void;
  /**
   * Closes the turns that the journal says were cut off, goes on with them where `unfinishedTurns` says so, and runs
   * what waited to join them. Call it once, before the first `submit`.
   */
  recover(): Promise<readonly RecoveredTurn[]>;
  /** No more turns: running ones get `graceMs` (default 0), then end as interrupted; waiting ones do not begin. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface ActiveTurn {
  readonly turn: Turn;
  readonly startedAt: string;
  /** What it has said since its last stored message. */
  readonly said: string;
  /** Messages that wait in the same session, to join it or behind it. */
  readonly queued: number;
}

export interface RecoveredTurn {
  readonly sessionKey: string;
  readonly turnId: string;
  readonly inputId: string;
  /** False where the history already showed its end. */
  readonly interrupted: boolean;
  /** The turn in which it, or what waited for it, goes on. */
  readonly goesOn?: Turn;
}

export interface AgentRuntimeOptions {
  readonly backend: SessionBackend;
  readonly journal?: TurnJournal;
  readonly clock?: () => Date;
  readonly createId?: () => string;
  /** The agent of a session whose turn is begun by the runtime itself: after a restart, or by `continue`. */
  readonly agents?: (agentId: string, session: SessionMeta) => AgentSpec | undefined;
  /** What becomes of turns found cut off: `close` marks them as interrupted, `resume` answers their messages too. Default `close`. */
  readonly unfinishedTurns?: 'close' | 'resume';
  /** Told what went wrong beside a turn: refused aliases (once each), a journal or a listener that fails. */
  readonly logger?: RuntimeLogger;
  readonly limits?: RuntimeLimits;
}

export interface RuntimeLimits {
  /** Default 16. */
  readonly parallelTurns?: number;
  /** Messages that may wait in one session, behind a turn or to join it, before `submit` rejects with `queue_full`. Default 100. */
  readonly queuedPerSession?: number;
  /** The newest active messages that reach the model. Default 500. */
  readonly historyMessages?: number;
  /** The wait before the first repetition of a model call; doubled each time. Default 500. */
  readonly retryDelayMs?: number;
}
