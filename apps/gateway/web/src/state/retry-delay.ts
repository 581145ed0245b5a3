const firstMs = 400;
const longestMs = 8_000;

/**
 * How long to wait before try number `attempt` (from 0): doubling up to eight seconds, between half and all of
 * it by chance, so that many pages do not come back to a restarted gateway in the same instant.
 * `random` is from 0 to 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling * (0.5 + random / 2));
}
