import type { Delivery, DeliveryChange, DeliveryStore, NewDelivery } from '@x/session-sqlite';

/**
 * Works through one queue of deliveries. Invariant: of a lane at most one delivery is worked on, in the order they were
 * put; over all lanes at most `parallel` are, and lanes take turns. Nothing is held in memory but the names of lanes
 * in which something waits. (shown by: a lane is worked through in order, lanes side by side)
 */
export interface LaneWorker {
  /** Settles what was cut off when the process last ended, then begins. */
  start(): Promise<void>;
  /** Something was put into this lane. */
  wake(lane: string): void;
  /** Begins nothing more, and waits for what runs. */
  close(): Promise<void>;
}

/** What became of a delivery. `later`: again after `inMs`; where it was nobody's fault, the try does not count. */
export type Verdict =
  | {
      readonly outcome: 'done' | 'aside' | 'unknown';
      readonly change?: DeliveryChange;
      readonly following?: readonly NewDelivery[];
    }
  | {
      readonly outcome: 'later';
      readonly inMs: number;
      readonly reason: string;
      readonly counts: boolean;
      readonly change?: DeliveryChange;
    };

export interface LaneWorkerOptions {
  readonly store: DeliveryStore;
  readonly queue: string;
  readonly parallel: number;
  /** Must not reject; what it throws all the same is tried again later. */
  readonly work: (delivery: Delivery) => Promise<Verdict>;
  /** What to make of a delivery that was being worked on when the process died. */
  readonly afterCut: (delivery: Delivery) => DeliveryChange;
  /** Told of each settled delivery, with the lanes of what followed from it. */
  readonly onSettled?: (delivery: Delivery, following: readonly NewDelivery[]) => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: () => Date;
}

/** How often it is looked for what another process (the command line) has put or freed. */
const LOOK_MS = 2000;
const AFTER_ERROR_MS = 1000;

export function createLaneWorker(options: LaneWorkerOptions): LaneWorker {
  const { store, queue, parallel, work, afterCut, onSettled, onError } = options;
  const clock = options.clock ?? (() => new Date());
  /** Lanes that run or wait for room; true where something came while they did. */
  const lanes = new Map<string, boolean>();
  const ready: string[] = [];
  const running = new Set<Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let looking: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;

  function wake(lane: string): void {
    if (!isStarted || isClosed) return;
    if (lanes.has(lane)) {
      lanes.set(lane, true);
      return;
    }
    lanes.set(lane, false);
    ready.push(lane);
    startWhatFits();
  }

  function wakeIn(lane: string, inMs: number): void {
    clearTimeout(timers.get(lane));
    const timer = setTimeout(
      () => {
        timers.delete(lane);
        wake(lane);
      },
      Math.min(Math.max(inMs, 0), LOOK_MS * 10),
    );
    timers.set(lane, timer);
  }

  function startWhatFits(): void {
    while (running.size < parallel && !isClosed) {
      const lane = ready.shift();
      if (lane === undefined) return;
      const step = takeStep(lane)
        .catch((error: unknown) => {
          onError(error);
          wakeIn(lane, AFTER_ERROR_MS);
          return false;
        })
        .then((hasMore) => {
          running.delete(step);
          const wasWoken = lanes.get(lane) === true;
          lanes.delete(lane);
          if (hasMore || wasWoken) wake(lane);
          startWhatFits();
        });
      running.add(step);
    }
  }

  /** Works on the first of a lane. True where the next may be looked for at once. */
  async function takeStep(lane: string): Promise<boolean> {
    const first = await store.first(queue, lane);
    if (first === undefined) return false;
    if (first.state === 'running') {
      // Of a lane one runs at a time: what became of this one could not be written down, as after a kill.
      await store.change(first.id, afterCut(first));
      return true;
    }
    const waitMs = first.dueAt.getTime() - clock().getTime();
    if (waitMs > 0) {
      wakeIn(lane, waitMs);
      return false;
    }
    const begun = await store.change(first.id, { state: 'running', attempts: first.attempts + 1 });
    const verdict = await work(begun).catch((error: unknown): Verdict => {
      onError(error);
      const reason = error instanceof Error ? error.message : String(error);
      return { outcome: 'later', inMs: AFTER_ERROR_MS, reason, counts: true };
    });
    if (verdict.outcome === 'later') {
      const { inMs, reason, counts, change } = verdict;
      await store.change(begun.id, {
        ...change,
        state: 'waiting',
        reason,
        dueAt: new Date(clock().getTime() + inMs),
        ...(counts ? {} : { attempts: first.attempts }),
      });
      return true;
    }
    const { outcome, change, following = [] } = verdict;
    const settled = await store.change(
      begun.id,
      { ...(outcome === 'done' ? { reason: null } : {}), ...change, state: outcome },
      following,
    );
    onSettled?.(settled, following);
    return true;
  }

  async function look(): Promise<void> {
    try {
      for (const lane of await store.lanes(queue)) if (!timers.has(lane)) wake(lane);
    } catch (error) {
      onError(error);
    }
    if (!isClosed) looking = setTimeout(look, LOOK_MS);
  }

  return {
    async start() {
      for (const delivery of await store.running(queue)) await store.change(delivery.id, afterCut(delivery));
      isStarted = true;
      await look();
    },
    wake,
    async close() {
      isClosed = true;
      clearTimeout(looking);
      for (const timer of timers.values()) clearTimeout(timer);
      while (running.size > 0) await Promise.all(running);
      // A look that was under way may have set its timer meanwhile.
      clearTimeout(looking);
    },
  };
}
