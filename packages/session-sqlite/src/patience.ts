import { setTimeout as pause } from 'node:timers/promises';
import { asStoreError, isBusy, lockedError } from './sqlite-errors.js';

/** How long the engine itself may wait for a lock, and block the process with it. */
export const nativeTimeoutMs = 15;

/**
 * Runs a task again while another connection is in the way, with pauses of chance length, so that two who wait do
 * not meet again. Throws `StoreLocked` when `patienceMs` have passed.
 */
export async function patiently<T>(file: string, patienceMs: number, task: () => T): Promise<T> {
  const began = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return task();
    } catch (error) {
      if (!isBusy(error)) throw asStoreError(error, file);
      if (performance.now() - began >= patienceMs) throw lockedError(file, patienceMs, error);
    }
    await pause(1 + Math.random() * Math.min(40, 2 * (attempt + 1)));
  }
}
