import type { Capabilities, SessionBackend } from '../backend.js';
import type { BackendOptions } from '../define-backend.js';
import type { SessionDriver } from '../driver.js';
import { equal } from './claim.js';
import { snapshot } from './snapshot.js';
import type { Subject } from './subject.js';
import { type Interception, wired } from './wire.js';

export type MakeBackend = (driver: SessionDriver, options: BackendOptions) => SessionBackend;

/** Where a case is shown: a store of its own, a clock that stands still, and the wire to the driver. */
export interface Bench {
  /** The store, as it is open now. */
  readonly backend: SessionBackend;
  readonly capabilities: Capabilities;
  /** True where the store itself judges leases, by its own clock. */
  readonly ownLeases: boolean;
  /** The time that the backend sees, as ISO 8601. */
  now(): string;
  /** Lets the backend's clock go on. */
  elapse(ms: number): void;
  /** Puts something on the wire to the driver; the answer takes it off again. */
  intercept(interception: Interception): () => void;
  /** Closes the store and opens it again. */
  reopen(): Promise<void>;
  /** The same data once more, as another process would have it open. Only with `many-processes`. */
  second(): Promise<SessionBackend>;
  /** Another store of the kind, empty. */
  another(): Promise<Bench>;
  /** Nothing is lost or gained when a durable store is closed and opened again. */
  checkReopened(): Promise<void>;
  /** Closes and disposes of everything. */
  clearAway(): Promise<void>;
}

/** A clock that starts on 1 January 2026, whatever the day is. */
const start = Date.UTC(2026, 0, 1);

export async function openBench(subject: Pick<Subject, 'create'>, make: MakeBackend): Promise<Bench> {
  const trial = await subject.create();
  const interceptions = new Set<Interception>();
  const others: Bench[] = [];
  const seconds: SessionBackend[] = [];
  let time = start;
  let closed = false;

  async function open(): Promise<{ readonly backend: SessionBackend; readonly driver: SessionDriver }> {
    const driver = await trial.open();
    return { backend: make(wired(driver, interceptions), { now: () => new Date(time) }), driver };
  }

  const noteClose: Interception = {
    after({ method }) {
      if (method === 'close') closed = true;
    },
  };
  interceptions.add(noteClose);
  const first = await open();
  let backend = first.backend;

  const bench: Bench = {
    get backend() {
      return backend;
    },
    capabilities: first.driver.capabilities,
    ownLeases: first.driver.leases !== undefined,
    now: () => new Date(time).toISOString(),
    elapse(ms) {
      time += ms;
    },
    intercept(interception) {
      interceptions.add(interception);
      return () => interceptions.delete(interception);
    },
    async reopen() {
      await backend.close();
      closed = false;
      backend = (await open()).backend;
    },
    async second() {
      const { backend: another } = await open();
      seconds.push(another);
      return another;
    },
    async another() {
      const another = await openBench(subject, make);
      others.push(another);
      return another;
    },
    async checkReopened() {
      if (bench.capabilities.durable === false || closed) return;
      const before = await snapshot(backend);
      await bench.reopen();
      equal(await snapshot(backend), before, 'what is there after closing and opening again');
    },
    async clearAway() {
      interceptions.clear();
      for (const another of others) await another.clearAway();
      for (const another of seconds) await another.close();
      await backend.close();
      await trial.dispose?.();
    },
  };
  return bench;
}
