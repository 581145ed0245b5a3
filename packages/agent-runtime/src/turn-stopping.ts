/**
 * How a turn is told to end. `soft`: a tool that runs is waited for · `now`: it is told by its signal and left ·
 * `hard`: as now, and the session goes back to where the turn began. What was said is kept by the first two.
 */
export type StopMode = 'soft' | 'now' | 'hard';

/** Why a running turn was told to end. */
export class TurnStop extends Error {
  readonly status: 'stopped' | 'interrupted';
  /** The history goes back to where the turn began. */
  readonly undoes: boolean;

  constructor(status: 'stopped' | 'interrupted', reason: string, undoes = false) {
    super(reason);
    this.name = 'TurnStop';
    this.status = status;
    this.undoes = undoes;
  }
}

/** Invariant: the signal aborts once, with the first reason given; a soft one waits while tools run. */
export interface TurnStopping {
  readonly signal: AbortSignal;
  /** False where the turn was told to end before. A soft stop can be followed by another. */
  stop(end: TurnStop | Error, mode: StopMode): boolean;
  /** While `run` runs, a soft stop is only noted; it takes effect at the end of it. */
  letFinish<Value>(run: () => Promise<Value>): Promise<Value>;
}

export function createTurnStopping(): TurnStopping {
  const controller = new AbortController();
  let noted: Error | undefined;
  let unfinished = 0;
  return {
    signal: controller.signal,
    stop(end, mode) {
      if (controller.signal.aborted) return false;
      if (mode === 'soft' && unfinished > 0) {
        if (noted !== undefined) return false;
        noted = end;
        return true;
      }
      controller.abort(end);
      return true;
    },
    async letFinish(run) {
      unfinished += 1;
      try {
        return await run();
      } finally {
        unfinished -= 1;
        if (unfinished === 0 && noted !== undefined) controller.abort(noted);
      }
    },
  };
}
