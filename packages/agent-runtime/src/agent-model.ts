import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelPrice } from './usage.js';

/** A model that may answer, with what is known of it. */
export interface AgentModel {
  readonly model: LanguageModelV3;
  /** What is stored with each answer as `modelName`. Models of one name share their cool-down. */
  readonly modelName: string;
  /** What it takes, question and answer together, in tokens. Default 128,000. */
  readonly windowTokens?: number;
  /** Without it, an answer has no cost. */
  readonly price?: ModelPrice;
}
