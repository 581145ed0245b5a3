import type { Clock } from '../src/index.js';

/** A clock that only moves when it is told to. */
export interface FakeClock extends Clock {
  /** Lets so much time pass; whoever sleeps wakes at his time, and does what he has to before it goes on. */
  advance(milliseconds: number): Promise<void>;
  /** Puts the clock forward or back. Nobody wakes for it: those who sleep count what passes, not what a clock shows. */
  jump(milliseconds: number): void;
}

export function createFakeClock(start: string): FakeClock {
  let now = Date.parse(start);
  const sleepers = new Set<{ at: number; wake(): void }>();

  /** Longest sleeps asked for, so that nobody asks a timer for what it cannot count. */
  function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds > 2 ** 31 - 1) throw new Error(`No timer counts ${milliseconds} ms.`);
    return new Promise((resolve) => {
      const sleeper = {
        at: now + milliseconds,
        wake() {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', sleeper.wake);
      sleepers.add(sleeper);
    });
  }

  return {
    now: () => now,
    sleep,
    async advance(milliseconds) {
      const until = now + milliseconds;
      for (;;) {
        await settled();
        const next = [...sleepers]
          .filter(({ at }) => at <= until)
          .reduce<{ at: number; wake(): void } | undefined>(
            (soonest, each) => (soonest === undefined || each.at < soonest.at ? each : soonest),
            undefined,
          );
        if (next === undefined) break;
        now = Math.max(now, next.at);
        next.wake();
      }
      now = until;
      await settled();
    },
    jump(milliseconds) {
      now += milliseconds;
      for (const sleeper of sleepers) sleeper.at += milliseconds;
    },
  };
}

/** Everybody has done what he can without time passing. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
}
