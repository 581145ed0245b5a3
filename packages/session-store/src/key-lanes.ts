/**
 * Invariant: for one name at most one task runs, in the order of arrival. A task takes all its names in one
 * synchronous step, so that every pair of tasks meets in the same order on every name: no deadlock, whatever
 * names they share. A lane in which nothing waits takes no memory.
 */
export interface KeyLanes {
  run<T>(names: readonly string[], task: () => Promise<T>): Promise<T>;
  /** Resolves when everything that was waiting at the call has run. */
  idle(): Promise<void>;
}

export function createKeyLanes(): KeyLanes {
  const tails = new Map<string, Promise<void>>();

  return {
    async run(names, task) {
      const lanes = names.length === 1 ? names : [...new Set(names)];
      const before = lanes.map((name) => tails.get(name)).filter((tail) => tail !== undefined);
      let leave: () => void = () => {};
      const tail = new Promise<void>((resolve) => {
        leave = resolve;
      });
      for (const name of lanes) tails.set(name, tail);
      try {
        if (before.length > 0) await Promise.all(before);
        return await task();
      } finally {
        for (const name of lanes) if (tails.get(name) === tail) tails.delete(name);
        leave();
      }
    },
    async idle() {
      await Promise.all(tails.values());
    },
  };
}
