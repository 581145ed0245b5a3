import type { ModelFailure } from './model-failure.js';

/** Which models are left alone for a while after they failed. Shared by all turns of a runtime. */
export interface CoolDowns {
  isResting(modelName: string): boolean;
  /** Lets a model rest for as long as its failure suggests. */
  rest(modelName: string, failure: ModelFailure): void;
}

const LONGEST_MS = 3_600_000;

export function createCoolDowns(clock: () => Date): CoolDowns {
  const restsUntil = new Map<string, number>();
  return {
    isResting: (modelName) => (restsUntil.get(modelName) ?? 0) > clock().getTime(),
    rest(modelName, failure) {
      const restMs = Math.min(failure.retryAfterMs ?? coolDownMs(failure), LONGEST_MS);
      if (restMs > 0) restsUntil.set(modelName, clock().getTime() + restMs);
    },
  };
}

/** A wrong key stays wrong for a while, a crowd is gone in a minute, and a request of the wrong shape says nothing about the next. */
function coolDownMs({ status }: ModelFailure): number {
  if (status === undefined || status >= 500) return 30_000;
  if (status === 401 || status === 403 || status === 404) return 300_000;
  return status === 429 ? 60_000 : 0;
}
