import type { StoredMessage } from '@x/session-store';
import type { StepUsage } from './usage.js';

/** How a turn ended. `interrupted`: the runtime was closed, or the process died. */
export type TurnStatus = 'done' | 'stopped' | 'failed' | 'interrupted';

export interface TurnOutcome {
  readonly status: TurnStatus;
  /** The answers of the turn, one under the other: more than one where messages joined it. */
  readonly reply: string;
  /** The assistant and tool messages that the turn stored, in order. */
  readonly messages: readonly StoredMessage[];
  /** Model calls made. */
  readonly steps: number;
  /** Summed over the steps, a summary's included; absent where the model does not say. */
  readonly usage?: StepUsage;
  /** Only with `failed`. */
  readonly error?: TurnFailure;
}

export interface TurnFailure {
  readonly code: TurnFailureCode;
  /** One sentence, safe to show. */
  readonly message: string;
}

/**
 * `turn_timeout`: longer than `turnTimeoutMs` · `model_failed`: the provider refused or the stream broke · `model_timeout`: silence for `stepTimeoutMs` ·
 * `context_exceeded`: the conversation is longer than the model takes, and could not be made shorter ·
 * `empty_answer`: neither words nor calls · `step_limit`: still calling tools after `maxSteps` ·
 * `store_failed`: the session could not be written · `agent_failed`: the agent's own `system` or a tool's schema ·
 * `turn_failed`: anything else.
 */
export type TurnFailureCode =
  | 'turn_timeout'
  | 'model_failed'
  | 'model_timeout'
  | 'context_exceeded'
  | 'empty_answer'
  | 'step_limit'
  | 'store_failed'
  | 'agent_failed'
  | 'turn_failed';
