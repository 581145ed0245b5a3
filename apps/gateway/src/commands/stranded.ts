import { SessionStoreError } from '@x/session-store';
import type { Configuration } from '../configuration/configuration.js';
import type { StoreReference } from '../stores/store-reference.js';
import { type StrandedView, strandedSessions } from '../stranding/stranded-sessions.js';
import { readingStore } from './session-reading.js';
import { table } from './table.js';

/** Sessions of the configured store that the configuration leads nobody to any more. */
export async function strandedIn(
  store: StoreReference,
  configuration: Configuration,
): Promise<readonly StrandedView[]> {
  try {
    return await readingStore(store, async (backend) =>
      backend === undefined ? [] : strandedSessions(backend, configuration),
    );
  } catch (error) {
    // What cannot be opened is among the problems.
    if (error instanceof SessionStoreError) return [];
    throw error;
  }
}

export function describeStranded(stranded: readonly StrandedView[]): string {
  if (stranded.length === 0) return '';
  const rows = stranded.map(({ fate, channel, message_count, title, session, message }) => [
    fate,
    channel,
    String(message_count),
    title ?? session,
    message,
  ]);
  return `${table(['ROUTING', 'CHANNEL', 'MESSAGES', 'SESSION', 'WHAT'], rows)}The configuration leads past ${stranded.length} sessions.\n`;
}
