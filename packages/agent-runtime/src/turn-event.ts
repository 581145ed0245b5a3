import type { StoredMessage } from '@x/session-store';
import type { TurnOutcome } from './turn-outcome.js';

/**
 * What happens in a turn, in order: `started`, `accepted`, then `token`, `message`, `tool`, `summary` and `model` as they come, and
 * `ended` as the last. A turn whose message could not be stored has no `accepted`. Readers pass over types they
 * do not know: more will come.
 */
export type TurnEvent = { readonly sessionKey: string; readonly turnId: string } & (
  | { readonly type: 'started'; readonly agentId: string; readonly inputId: string }
  /** A message that closes an earlier turn of the session, found cut off. Comes before `accepted`. */
  | { readonly type: 'healed'; readonly message: StoredMessage }
  /** The person's message is durable. */
  | { readonly type: 'accepted'; readonly message: StoredMessage }
  /** The next piece of the answer. */
  | { readonly type: 'token'; readonly text: string }
  | ToolEvent
  | SummaryEvent
  | ModelEvent
  /** An assistant or tool message is durable. */
  | { readonly type: 'message'; readonly message: StoredMessage }
  | { readonly type: 'ended'; readonly outcome: TurnOutcome }
);

/** Each call ends or fails; one that was never run fails without a start. `id` is the call's, `arguments` the JSON text of the call, `result` what the model is told. */
export type ToolEvent = { readonly type: 'tool'; readonly id: string; readonly name: string } & (
  | { readonly phase: 'start'; readonly arguments: string }
  | { readonly phase: 'end' | 'failed'; readonly result: string }
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
