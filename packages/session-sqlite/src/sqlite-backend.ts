import { type BackendOptions, defineBackend, type SessionBackend } from '@x/session-store';
import { openSqliteDriver, type SqliteOptions } from './sqlite-driver.js';

/**
 * A session store in one SQLite file, which several processes may use at once. Safe on disk when a promise resolves.
 * Opens PicoBot's databases in place, and leaves ones that PicoBot goes on with. `file` is a name, or a file that
 * `openSqliteFile` has opened: that one is not closed with the store.
 */
export async function createSqliteBackend(options: SqliteOptions & BackendOptions): Promise<SessionBackend> {
  const { now, newId } = options;
  return defineBackend(await openSqliteDriver(options), {
    ...(now === undefined ? {} : { now }),
    ...(newId === undefined ? {} : { newId }),
  });
}
