import type { RefusedAlias, SessionBackend } from '@x/session-store';
import type { RuntimeLogger } from './agent-runtime.js';
import type { CoolDowns } from './cool-downs.js';
import type { TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnJournal } from './turn-journal.js';

type Unaddressed<Event> = Event extends unknown ? Omit<Event, 'sessionKey' | 'turnId'> : never;

/** A turn that has been reserved, with all that it takes to run it. */
export interface TurnWork {
  readonly turnId: string;
  readonly inputId: string;
  readonly request: TurnRequest;
  /** Aborts with a `TurnStop`. */
  readonly signal: AbortSignal;
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
}

/** Why a running turn was told to end. */
export class TurnStop extends Error {
  readonly status: 'stopped' | 'interrupted';

  constructor(status: 'stopped' | 'interrupted', reason: string) {
    super(reason);
    this.name = 'TurnStop';
    this.status = status;
  }
}
