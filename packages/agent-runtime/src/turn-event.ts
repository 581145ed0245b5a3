import type { StoredMessage } from '@x/session-store';
import type { SubTurnResult } from './agent.js';
import type { TurnOutcome } from './turn-outcome.js';
import type { WaitingMessage } from './waiting-message.js';

/**
 * What happens in a turn, in order: `started`, `accepted`, then the others as they come, and `ended` as the last, with
 * what went wrong. A turn whose message could not be stored has no `accepted`. Readers pass over types they do not
 * know: more will come. Everything that is shown, counted or traced is made from this one stream.
 */
export type TurnEvent = { readonly sessionKey: string; readonly turnId: string } & (
  | { readonly type: 'started'; readonly agentId: string; readonly inputId: string }
  /** A message that closes an earlier turn of the session, found cut off. Comes before `accepted`. */
  | { readonly type: 'healed'; readonly message: StoredMessage }
  /** The person's message is durable. */
  | { readonly type: 'accepted'; readonly message: StoredMessage }
  /** A call of the model begins; `number` counts from 1. */
  | { readonly type: 'step'; readonly number: number }
  /** The next piece of the answer. */
  | { readonly type: 'token'; readonly text: string }
  | ToolEvent
  | SummaryEvent
  | ModelEvent
  | SteeringEvent
  | SubTurnEvent
  /** An assistant or tool message is durable. */
  | { readonly type: 'message'; readonly message: StoredMessage }
  /** A hard stop has taken the turn's messages back, from this seq on. Comes before `ended`. */
  | { readonly type: 'undone'; readonly fromSeq: number }
  | { readonly type: 'ended'; readonly outcome: TurnOutcome }
);

/** Each call ends, fails, or is skipped since a message of the person came first; one that was never run has no start. `id` is the call's, `arguments` the JSON text of the call, `result` what the model is told. */
export type ToolEvent = { readonly type: 'tool'; readonly id: string; readonly name: string } & (
  | { readonly phase: 'start'; readonly arguments: string }
  | { readonly phase: 'end' | 'failed' | 'skipped'; readonly result: string }
);

/** `waiting`: a message for this turn is safe, and waits for its next point · `joined`: it is part of the history, and the model is called with it. */
export type SteeringEvent = { readonly type: 'steering' } & (
  | { readonly phase: 'waiting'; readonly message: WaitingMessage }
  | { readonly phase: 'joined'; readonly message: StoredMessage }
);

/**
 * A turn within the turn. `event`: something it says or does · `orphaned`: after its `end`, where no turn could take
 * the result of a sub-turn that nobody waited for.
 */
export type SubTurnEvent = { readonly type: 'sub_turn'; readonly id: string } & (
  | { readonly phase: 'start'; readonly task: string; readonly depth: number }
  | { readonly phase: 'event'; readonly event: ToolEvent | { readonly type: 'token'; readonly text: string } }
  | ({ readonly phase: 'end' | 'orphaned' } & SubTurnResult)
);

/** The older part of the session, up to `throughSeq`, becomes a summary. `failed`: it stays as it was, and `error` is safe to show. */
export type SummaryEvent = { readonly type: 'summary'; readonly throughSeq: number } & (
  | { readonly phase: 'start' }
  | { readonly phase: 'end'; readonly summary: string }
  | { readonly phase: 'failed'; readonly error: string }
);

/** `chosen`: which of a light and a primary model answers, and why · `fallback`: a model failed, and this one is asked in its place. */
export interface ModelEvent {
  readonly type: 'model';
  readonly phase: 'chosen' | 'fallback';
  readonly modelName: string;
  readonly reason: string;
}
