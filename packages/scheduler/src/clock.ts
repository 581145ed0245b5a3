import { setTimeout as pause } from 'node:timers/promises';

/** The only source of time: a test hands in one that it moves itself. */
export interface Clock {
  /** Unix milliseconds. May jump, in both directions. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts; never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
};
