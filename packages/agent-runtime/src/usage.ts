import type { JsonValue, SessionMeta, Usage } from '@x/session-store';
import type { LanguageModelUsage } from 'ai';

/** For a million tokens, in whatever currency the operator counts. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Default: as other input. */
  readonly cachedInputPerMillion?: number;
}

/** What a model step took. A field is absent where the provider does not say, `cost` where no price is known. */
export interface StepUsage extends Usage {
  /** Part of `inputTokens`. */
  readonly cachedInputTokens?: number;
  readonly cost?: number;
}

const NAMES = ['inputTokens', 'outputTokens', 'totalTokens', 'cachedInputTokens', 'cost'] as const;
/** Where a session keeps the sum over its life. */
const ATTRIBUTE = 'usage';

export function stepUsage(said: LanguageModelUsage, price: ModelPrice | undefined): StepUsage | undefined {
  const { inputTokens, outputTokens, totalTokens } = said;
  const cachedInputTokens = said.inputTokenDetails?.cacheReadTokens;
  const usage = known({ inputTokens, outputTokens, totalTokens, cachedInputTokens });
  if (usage === undefined) return undefined;
  const cost = price === undefined ? undefined : costOf(usage, price);
  return cost === undefined ? usage : { ...usage, cost };
}

function costOf(usage: StepUsage, price: ModelPrice): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const millionths =
    (inputTokens - cached) * price.inputPerMillion +
    cached * (price.cachedInputPerMillion ?? price.inputPerMillion) +
    outputTokens * price.outputPerMillion;
  return tidy(millionths / 1_000_000);
}

export function addedUsage(
  first: StepUsage | undefined,
  second: StepUsage | undefined,
): StepUsage | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const sums = NAMES.map((name) =>
    first[name] === undefined && second[name] === undefined
      ? []
      : [[name, tidy((first[name] ?? 0) + (second[name] ?? 0))] as const],
  );
  return Object.fromEntries(sums.flat());
}

/** What all turns of a session have taken together, summaries included; undefined where no provider said. */
export function sessionUsage(session: Pick<SessionMeta, 'attributes'>): StepUsage | undefined {
  const kept = session.attributes[ATTRIBUTE];
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return undefined;
  const numbers = kept as { readonly [name: string]: JsonValue };
  return known(Object.fromEntries(NAMES.map((name) => [name, numbers[name]])));
}

export function usageAttributes(usage: StepUsage): { readonly [name: string]: JsonValue } {
  return { [ATTRIBUTE]: { ...usage } };
}

function known(fields: { readonly [name: string]: unknown }): StepUsage | undefined {
  const given = Object.entries(fields).filter(
    ([, value]) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Sums of prices in binary fractions, without their dust. */
function tidy(number: number): number {
  return Number(number.toFixed(9));
}
