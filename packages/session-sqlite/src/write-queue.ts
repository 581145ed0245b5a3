import { StoreLocked } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { patiently } from './patience.js';
import { asStoreError, lockedError, sqliteCode } from './sqlite-errors.js';

/**
 * Invariant: one write transaction at a time, and everybody who waits at its beginning shares it and its sync. What
 * fails takes nobody with it: the batch is rolled back, and each of it tried again alone.
 */
export interface WriteQueue {
  /**
   * Runs `plan` inside a transaction, then what it returns, which alone may change the database. Both may run again.
   * Resolves once that is committed. An error of the engine names the session `key`.
   */
  write<T>(plan: () => () => T, key?: string): Promise<T>;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
}

interface Request {
  readonly plan: () => () => unknown;
  readonly key: string | undefined;
  alone: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A batch ends after this long, so that the process can do something else; the sync comes on top. */
const batchMs = 20;
const batchAtMost = 1024;

/** `noteRollback` is told that what was written over this connection is not there. */
export function createWriteQueue(
  database: Database,
  file: string,
  patienceMs: number,
  noteRollback: () => void = () => {},
): WriteQueue {
  const waiting: Request[] = [];
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Whoever writes in the same turn of the event loop shares the first batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      try {
        await patiently(file, patienceMs, () => begin.run());
      } catch (error) {
        for (const request of waiting.splice(0)) {
          const isLocked = error instanceof StoreLocked;
          request.reject(isLocked ? lockedError(file, patienceMs, error.cause, request.key) : error);
        }
        continue;
      }
      batch();
      if (waiting.length > 0) await new Promise(setImmediate);
    }
    running = undefined;
  }

  function batch(): void {
    const deadline = performance.now() + batchMs;
    const stored: { readonly request: Request; readonly value: unknown }[] = [];
    let request = waiting.shift();
    try {
      while (request !== undefined) {
        const carryOut = planned(request);
        if (carryOut !== undefined) stored.push({ request, value: carryOut() });
        const isLast = request.alone || stored.length >= batchAtMost || performance.now() > deadline;
        request = undefined;
        if (!isLast && waiting[0]?.alone === false) request = waiting.shift();
      }
      commit.run();
    } catch (error) {
      if (database.inTransaction) rollback.run();
      noteRollback();
      const failed = [...stored.map((each) => each.request), ...(request === undefined ? [] : [request])];
      const [only] = failed;
      if (failed.length === 1 && only !== undefined) only.reject(asStoreError(error, file, only.key));
      else {
        for (const each of failed) each.alone = true;
        waiting.unshift(...failed);
      }
      return;
    }
    for (const { request, value } of stored) request.resolve(value);
  }

  return {
    write<T>(plan: () => () => T, key?: string): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ plan, key, alone: false, resolve: resolve as (value: unknown) => void, reject });
        running ??= run();
      });
    },
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

/** What the request would do; where that cannot be decided, nothing was changed and only its caller is told. */
function planned(request: Request): (() => unknown) | undefined {
  try {
    return request.plan();
  } catch (error) {
    if (sqliteCode(error) !== undefined) throw error;
    request.reject(error);
    return undefined;
  }
}
