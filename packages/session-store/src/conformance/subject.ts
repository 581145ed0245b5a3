import type { SessionDriver } from '../driver.js';

/** What is put to the proof: a kind of store, and the test function of whatever runner is at hand. */
export interface Subject {
  /** Vitest's `it`, `test` of `node:test`, or any other that takes a name and an asynchronous body. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** A store of its own for every call, empty. */
  create(): Promise<Trial>;
}

/** One store. */
export interface Trial {
  /**
   * Opens it. What was closed and is opened again holds the same data, where the driver says that it is durable;
   * a driver that says `many-processes` is opened a second time beside the first, as another process would.
   */
  open(): Promise<SessionDriver>;
  /** Called when everything is closed. */
  dispose?(): Promise<void>;
}
