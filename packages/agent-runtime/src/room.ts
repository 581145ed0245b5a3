import { abortable } from './abortable.js';

/** Invariant: at most `places` hold a place at a time; who waits gets one in the order of arrival, or gives up. */
export interface Room {
  /** Resolves with what gives the place back. Rejects with `late()` after `waitMs`, or with the signal's reason. */
  enter(waitMs: number, late: () => Error, signal: AbortSignal): Promise<() => void>;
}

export function createRoom(places: number): Room {
  let free = places;
  const queue: (() => void)[] = [];

  function leave(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async enter(waitMs, late, signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leave;
      }
      let called: (() => void) | undefined;
      const turn = new Promise<void>((resolve) => {
        called = resolve;
        queue.push(resolve);
      });
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(late()), waitMs);
      try {
        await abortable(turn, AbortSignal.any([signal, patience.signal]));
        return leave;
      } catch (error) {
        const place = called === undefined ? -1 : queue.indexOf(called);
        // Called in the very moment of giving up: the place goes to the next.
        if (place < 0) leave();
        else queue.splice(place, 1);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
