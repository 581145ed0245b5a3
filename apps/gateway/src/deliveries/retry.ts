const FIRST_MS = 1000;
const LONGEST_MS = 5 * 60_000;

/** How long to wait after the try with this number, from 1: a second, then four times as long, at most five minutes. */
export function retryDelayMs(attempt: number): number {
  return Math.min(FIRST_MS * 4 ** Math.max(0, attempt - 1), LONGEST_MS);
}
