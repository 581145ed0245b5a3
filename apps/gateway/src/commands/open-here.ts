import { type SessionBackend, StoreLocked } from '@x/session-store';
import { createLog } from '../log.js';
import { RunError } from '../run-error.js';
import { openForWriting } from '../stores/open-for-writing.js';
import type { StoreReference } from '../stores/store-reference.js';

/** Opens a store for a command that changes it, as a gateway would. */
export async function openHere(store: StoreReference): Promise<SessionBackend> {
  try {
    return await openForWriting(store, createLog('error', process.stderr.isTTY === true));
  } catch (error) {
    throw error instanceof StoreLocked ? new RunError(`StoreLocked: ${error.message}`) : error;
  }
}
