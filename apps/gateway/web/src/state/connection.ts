import type { Api } from '../api/client.js';
import type { LiveEvent } from '../api/shapes.js';
import { type Cell, createCell } from './cell.js';
import { retryDelayMs } from './retry-delay.js';

/** `connecting` is the first try; `lost` lasts until the gateway answers again. */
export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface Connection {
  readonly cell: Cell<ConnectionState>;
  /** Tries at once instead of waiting out the delay; also checks a line that seems open. */
  wake(): void;
  close(): void;
}

/** The gateway writes at least every 15 seconds; after this long without a byte the line is dead. */
const silenceMs = 40_000;

/**
 * Holds the stream of live events open for as long as the page lives. `onOpen` runs before the first event of
 * each connection, with `restarted` true where the gateway is not the one it was before: what happened until now
 * is then to be fetched, what happens from now on is told.
 */
export function createConnection(options: {
  api: Pick<Api, 'events'>;
  onEvent: (event: LiveEvent) => void;
  onOpen: (opening: { restarted: boolean }) => void;
}): Connection {
  const { api, onEvent, onOpen } = options;
  const cell = createCell<ConnectionState>('connecting');
  let closed = false;
  let current = new AbortController();
  let heardAt = 0;
  let startedAt: string | undefined;
  let endDelay: () => void = () => undefined;

  async function listen(): Promise<void> {
    current = new AbortController();
    const { signal } = current;
    heardAt = Date.now();
    const watchdog = setInterval(() => {
      if (Date.now() - heardAt > silenceMs) current.abort();
    }, 5_000);
    try {
      for await (const event of api.events(signal)) {
        heardAt = Date.now();
        attempt = 0;
        if (event.event === 'hello') {
          const restarted = startedAt !== undefined && startedAt !== event.started_at;
          startedAt = event.started_at;
          onOpen({ restarted });
          cell.set('open');
        }
        onEvent(event);
      }
    } catch {
      // Why it ended does not matter: whatever it was, the way back is to try again.
    } finally {
      clearInterval(watchdog);
    }
  }

  let attempt = 0;
  async function run(): Promise<void> {
    while (!closed) {
      await listen();
      if (closed) return;
      cell.set('lost');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, retryDelayMs(attempt, Math.random()));
        endDelay = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      attempt += 1;
    }
  }
  void run();

  return {
    cell,
    wake() {
      // A machine that slept may hold a line that no longer leads anywhere.
      if (cell.get() === 'open' && Date.now() - heardAt > silenceMs / 2) current.abort();
      endDelay();
    },
    close() {
      closed = true;
      current.abort();
      endDelay();
    },
  };
}
