/**
 * Invariant: for one name at most one task runs, in the order of arrival. A task takes all its names in one
 * synchronous step, so that every pair of tasks meets in the same order on every name: no deadlock, whatever
 * names they share. A lane in which nothing runs takes no memory.
 */
export interface KeyLanes {
  run<T>(names: readonly string[], task: () => Promise<T>): Promise<T>;
  /** Like `run`, without a promise of its own: `begin` is called at once where nothing is ahead of it. */
  enter(name: string, begin: () => void): void;
  /** To be called once by who has begun. */
  leave(name: string): void;
  /** Resolves when everything that was waiting at the call has run. */
  idle(): Promise<void>;
}

interface Waiting {
  /** In so many lanes another task comes first. */
  ahead: number;
  begin(): void;
}

export function createKeyLanes(): KeyLanes {
  /** Who has the name, then who waits for it. */
  const lanes = new Map<string, Waiting[]>();

  function line(name: string, waiting: Waiting): void {
    const lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, [waiting]);
    else if (lane.push(waiting) > 1) waiting.ahead += 1;
  }

  function leave(name: string): void {
    const lane = lanes.get(name);
    lane?.shift();
    const next = lane?.[0];
    if (next === undefined) {
      lanes.delete(name);
      return;
    }
    next.ahead -= 1;
    if (next.ahead === 0) next.begin();
  }

  async function run<T>(names: readonly string[], task: () => Promise<T>): Promise<T> {
    const own = names.length === 1 ? names : [...new Set(names)];
    await new Promise<void>((begin) => {
      const waiting = { ahead: 0, begin };
      for (const name of own) line(name, waiting);
      if (waiting.ahead === 0) begin();
    });
    try {
      return await task();
    } finally {
      for (const name of own) leave(name);
    }
  }

  return {
    run,
    enter(name, begin) {
      const waiting = { ahead: 0, begin };
      line(name, waiting);
      if (waiting.ahead === 0) begin();
    },
    leave,
    idle: () => run([...lanes.keys()], async () => {}),
  };
}
