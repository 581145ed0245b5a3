import type { SessionScope } from '@x/session-scope';
import type { JsonValue } from '@x/session-store';
import type { AgentSpec } from './agent.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnOutcome } from './turn-outcome.js';
import type { StopMode } from './turn-stopping.js';

/** Where a turn takes place. An allocation of `@x/session-scope` is one. */
export interface TurnSession {
  /** A key, not an alias: names are resolved before. */
  readonly sessionKey: string;
  readonly sessionAliases?: readonly string[];
  /** The agent's main session: it alone may claim `agent:<id>:main`. */
  readonly mainSessionKey?: string;
  readonly scope?: SessionScope;
}

export interface TurnInput {
  readonly text: string;
  /** References to media: `data:` and `http(s)` URLs of images are shown to the model, others named in words. */
  readonly media?: readonly string[];
  /** Makes a retry safe: within a session a second submission of an id joins, replays or resumes the first. */
  readonly id?: string;
  readonly meta?: { readonly [name: string]: JsonValue };
}

export interface TurnRequest {
  readonly session: TurnSession;
  /** Taken only while the session has none. */
  readonly title?: string;
  readonly input: TurnInput;
  readonly agent: AgentSpec;
  /**
   * While a turn of the same agent runs in the session: `join` it, as steering, or `wait` for a turn of its own behind
   * it. Default `join`.
   */
  readonly whenBusy?: 'join' | 'wait';
  /** Stops the turn when it aborts. */
  readonly signal?: AbortSignal;
}

/** One run of the loop, as the one sees it who handed in a message. */
export interface Turn {
  /** Of the turn that answers the message: it changes where one ends before the message could join it. */
  readonly id: string;
  readonly sessionKey: string;
  /**
   * True where the message joined a turn begun for another: whoever delivers answers delivers that one's, once. Final
   * when `outcome` has resolved.
   */
  readonly isJoined: boolean;
  /** The id of the message handed in. */
  readonly inputId: string;
  /** Resolves once the message is durable; `seq` is absent while it waits to join. Rejects where it could not be stored: then nothing was. */
  readonly accepted: Promise<{ readonly seq?: number; readonly id: string }>;
  /** Everything from the beginning, or since the message was safe where it joins, to every reader, whenever it comes; ends after `ended`. */
  readonly events: AsyncIterable<TurnEvent>;
  /** Never rejects: from here on a failure is an outcome, and stands in the history too. */
  readonly outcome: Promise<TurnOutcome>;
  /** Ends the turn, by default `now`. False where it has ended already. */
  stop(reason: string, mode?: StopMode): boolean;
}
