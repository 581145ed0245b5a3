import type { SessionBackend } from '@x/session-store';
import { createLog } from '../log.js';
import { openForWriting } from '../stores/open-for-writing.js';
import type { StoreReference } from '../stores/store-reference.js';

/** Opens a store for a command that changes it, as a gateway would. */
export function openHere(store: StoreReference): Promise<SessionBackend> {
  return openForWriting(store, createLog('error', process.stderr.isTTY === true));
}
