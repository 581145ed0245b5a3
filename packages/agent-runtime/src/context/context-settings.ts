/** How much of a session a model is shown, and when the older part becomes a summary. */
export interface ContextSettings {
  /**
   * False: nothing is summarised or left out by itself; a history that the model refuses for its length is then a
   * failed turn (`context_exceeded`), which says what to do. Default true.
   */
  readonly automatic?: boolean;
  /** With more messages in sight, the older part is summarised. Default 100. */
  readonly summariseAtMessages?: number;
  /** With a larger share of the window taken, the older part is summarised, 0–1. Default 0.75. */
  readonly summariseAtShare?: number;
  /** The newest messages that stay word for word when the others are summarised, as whole turns; more where the newest turn alone has more. Default 20. */
  readonly keepMessages?: number;
}

export interface ContextLimits extends Required<ContextSettings> {
  /** What the model takes, question and answer together. */
  readonly windowTokens: number;
  /** Kept free for the answer. */
  readonly answerTokens: number;
}

const LARGEST_ANSWER = 8_192;

const USUAL_WINDOW = 128_000;

export function contextLimits(settings: ContextSettings = {}, windowTokens = USUAL_WINDOW): ContextLimits {
  return {
    windowTokens,
    automatic: settings.automatic ?? true,
    summariseAtMessages: settings.summariseAtMessages ?? 100,
    summariseAtShare: settings.summariseAtShare ?? 0.75,
    keepMessages: settings.keepMessages ?? 20,
    answerTokens: Math.min(LARGEST_ANSWER, Math.floor(windowTokens / 4)),
  };
}
