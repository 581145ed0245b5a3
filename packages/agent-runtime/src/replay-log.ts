/** Grows at the end until it is closed; every reader gets all of it from the beginning, waiting for what is to come. */
export interface ReplayLog<Entry> extends AsyncIterable<Entry> {
  push(entry: Entry): void;
  close(): void;
  /** All of it so far. */
  readonly entries: readonly Entry[];
}

export function createReplayLog<Entry>(): ReplayLog<Entry> {
  const entries: Entry[] = [];
  let isClosed = false;
  let waiting: (() => void)[] = [];

  function wake(): void {
    const readers = waiting;
    waiting = [];
    for (const reader of readers) reader();
  }

  return {
    entries,
    push(entry) {
      entries.push(entry);
      wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; ) {
        while (next < entries.length) {
          yield entries[next] as Entry;
          next += 1;
        }
        if (isClosed) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}
