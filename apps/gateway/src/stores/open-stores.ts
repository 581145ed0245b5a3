import { createSqliteBackend, openSqliteFile, type SqliteFile } from '@x/session-sqlite';
import type { SessionBackend } from '@x/session-store';
import type { DataLayout } from '../configuration/data-layout.js';
import type { Log } from '../log.js';
import { openForWriting } from './open-for-writing.js';
import { makeStoreFolder } from './open-store.js';

/** What a gateway keeps, opened once. */
export interface Stores {
  readonly backend: SessionBackend;
  /** Memories, skill events, jobs, deliveries: the database of the sessions, where they are in one, else one of their own. */
  readonly operations: SqliteFile;
  close(): Promise<void>;
}

/** `StoreLocked` where another process has the sessions and shares them with nobody. */
export async function openStores(layout: DataLayout, log: Log): Promise<Stores> {
  const { store } = layout;
  if (store.kind === 'sqlite') {
    makeStoreFolder(store);
    const operations = await openSqliteFile({ file: store.path });
    return together(() => createSqliteBackend({ file: operations }), operations);
  }
  const backend = await openForWriting(store, log);
  try {
    return await together(async () => backend, await openSqliteFile({ file: layout.operations }));
  } catch (error) {
    await backend.close();
    throw error;
  }
}

async function together(openBackend: () => Promise<SessionBackend>, operations: SqliteFile): Promise<Stores> {
  try {
    const backend = await openBackend();
    return {
      backend,
      operations,
      async close() {
        try {
          await backend.close();
        } finally {
          await operations.close();
        }
      },
    };
  } catch (error) {
    await operations.close();
    throw error;
  }
}
