import type { StepUsage } from '@x/agent-runtime';

/** What was taken, as the API and the command line write it: what a provider does not say is null, what nobody knows is absent. */
export interface UsageView {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  /** Part of the input. */
  readonly cached_input_tokens?: number;
  /** In the currency of the configured prices; absent without one. */
  readonly cost?: number;
}

export function viewUsage({ cachedInputTokens, cost, ...usage }: StepUsage): UsageView {
  return {
    input_tokens: usage.inputTokens ?? null,
    output_tokens: usage.outputTokens ?? null,
    total_tokens: usage.totalTokens ?? null,
    ...(cachedInputTokens === undefined ? {} : { cached_input_tokens: cachedInputTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}

export function usageLine(usage: StepUsage): string {
  const { inputTokens = 0, outputTokens = 0, cost } = usage;
  return `${inputTokens} tokens in, ${outputTokens} out${cost === undefined ? '' : `, cost ${cost}`}`;
}
