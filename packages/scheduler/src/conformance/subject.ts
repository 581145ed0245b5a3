import type { JobStore } from '../job-store.js';

/** What is put to the proof: a kind of job store, and the test function of whatever runner is at hand. */
export interface JobStoreSubject {
  /** Vitest's `it`, `test` of `node:test`, or any other that takes a name and an asynchronous body. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** A store of its own for every call, empty. */
  create(): Promise<JobStoreTrial>;
}

export interface JobStoreTrial {
  /** Opens it; a second time beside the first, as another process would, where `sharing` says so. */
  open(): Promise<JobStore>;
  /** Whether two that were opened see the same jobs. */
  readonly sharing: boolean;
  /** Called at the end; closes what was opened. */
  dispose?(): Promise<void>;
}
