/**
 * Invariant: for one session at most one task runs, in the order of `run`. It is held while a message is judged and
 * handed on, never while a model answers: what comes in together is judged one after the other, so that a reset that
 * is due happens once, and between two messages.
 */
export interface SessionGate {
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

export function createSessionGate(): SessionGate {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = tails.get(key);
      const running = before === undefined ? task() : before.then(task, task);
      tails.set(key, running);
      try {
        return await running;
      } finally {
        if (tails.get(key) === running) tails.delete(key);
      }
    },
  };
}
