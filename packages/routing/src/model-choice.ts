import { type Turn, type TurnFeatures, turnFeatures } from './turn-features.js';

export interface ModelChoiceRequest extends Turn {
  /** Turns that score at least this much are for the primary model, 0–1. Default, also for 0 and below: 0.35. */
  readonly threshold?: number | undefined;
}

export interface ModelChoice {
  readonly model: 'light' | 'primary';
  /** 0–1: how much the turn asks of a model. */
  readonly score: number;
  /** What added to the score, as `code block 0.40`. Empty for a simple turn. */
  readonly reasons: readonly string[];
}

const DEFAULT_THRESHOLD = 0.35;

interface Signal {
  readonly reason: string;
  /** In hundredths, so that sums that should meet the threshold do, whatever binary fractions make of them. */
  readonly weight: number;
  readonly applies: (features: TurnFeatures) => boolean;
}

/** PicoClaw's weights. */
const SIGNALS: readonly Signal[] = [
  { reason: 'attachments', weight: 100, applies: (turn) => turn.hasAttachments },
  { reason: 'more than 200 tokens', weight: 35, applies: (turn) => turn.tokenEstimate > 200 },
  {
    reason: 'more than 50 tokens',
    weight: 15,
    applies: (turn) => turn.tokenEstimate > 50 && turn.tokenEstimate <= 200,
  },
  { reason: 'code block', weight: 40, applies: (turn) => turn.codeBlockCount > 0 },
  { reason: 'more than 3 recent tool calls', weight: 25, applies: (turn) => turn.recentToolCalls > 3 },
  {
    reason: '1 to 3 recent tool calls',
    weight: 10,
    applies: (turn) => turn.recentToolCalls > 0 && turn.recentToolCalls <= 3,
  },
  { reason: 'more than 10 messages', weight: 10, applies: (turn) => turn.conversationDepth > 10 },
];

/** How much a turn asks of a model, 0–1. Pure. */
export function scoreTurn(features: TurnFeatures): number {
  return total(signalsOf(features));
}

/** Chooses the light or the primary model for a turn. Pure. */
export function chooseModel({ threshold, ...turn }: ModelChoiceRequest): ModelChoice {
  const limit = threshold !== undefined && threshold > 0 ? threshold : DEFAULT_THRESHOLD;
  const signals = signalsOf(turnFeatures(turn));
  const score = total(signals);
  return {
    model: score < limit ? 'light' : 'primary',
    score,
    reasons: signals.map(({ reason, weight }) => `${reason} ${(weight / 100).toFixed(2)}`),
  };
}

function signalsOf(features: TurnFeatures): readonly Signal[] {
  return SIGNALS.filter((signal) => signal.applies(features));
}

function total(signals: readonly Signal[]): number {
  return (
    Math.min(
      100,
      signals.reduce((sum, { weight }) => sum + weight, 0),
    ) / 100
  );
}
