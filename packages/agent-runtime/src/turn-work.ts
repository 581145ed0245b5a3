import type { RefusedAlias, SessionBackend } from '@x/session-store';
import type { SubTurns } from './agent.js';
import type { CoolDowns } from './cool-downs.js';
import type { RuntimeLogger } from './runtime-logger.js';
import type { SteeringQueue } from './steering-queue.js';
import type { TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnJournal } from './turn-journal.js';
import type { TurnOutcome } from './turn-outcome.js';
import type { TurnStopping } from './turn-stopping.js';
import type { StepUsage } from './usage.js';

export type Unaddressed<Event> = Event extends unknown ? Omit<Event, 'sessionKey' | 'turnId'> : never;

/** A turn that has been reserved, with all that it takes to run it. */
export interface TurnWork {
  readonly turnId: string;
  readonly inputId: string;
  readonly request: TurnRequest;
  readonly stopping: TurnStopping;
  /** Of `stopping`. */
  readonly signal: AbortSignal;
  /** The messages that wait to join this turn. */
  readonly steering: SteeringQueue;
  /** 0 for the turn of a person's message, 1 for a turn within it, and so on. */
  readonly depth: number;
  readonly backend: SessionBackend;
  readonly journal: TurnJournal;
  readonly logger: RuntimeLogger;
  readonly clock: () => Date;
  readonly createId: () => string;
  readonly historyMessages: number;
  readonly retryDelayMs: number;
  readonly coolDowns: CoolDowns;
  readonly onRefusedAliases: (sessionKey: string, refused: readonly RefusedAlias[]) => void;
  readonly emit: (event: Unaddressed<TurnEvent>) => void;
  readonly accept: (place: { readonly seq: number; readonly id: string }) => void;
  readonly refuse: (error: unknown) => void;
  /** Closes the queue and reserves a turn for what is left in it; undefined where nothing is. */
  readonly handOver: () => Next | undefined;
  /** Runs a turn within this one. */
  readonly runNested: (work: ReservedWork) => Promise<TurnOutcome>;
  readonly subTurns: OwnSubTurns;
  /** Told of a sub-turn that goes on when this turn has ended. */
  readonly onOutlive: (child: OutlivingChild) => void;
}

/** The turn that goes on where this one ends. */
export interface Next {
  readonly turnId: string;
  readonly inputId: string;
  readonly agentId: string;
}

export interface OutlivingChild {
  readonly end: Promise<void>;
  stop(reason: string): void;
}

/** As the turn itself holds them. */
export interface OwnSubTurns extends SubTurns {
  /** What all of them have taken so far. */
  usage(): StepUsage | undefined;
  /** The turn has ended: those that are not critical end too, the others go on by themselves where it ended well. */
  leave(): void;
}

/** A turn as it is handed over to be run. */
export type ReservedWork = Omit<TurnWork, 'subTurns'>;
