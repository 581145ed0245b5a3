import {
  type BackendOptions,
  createSessionStore,
  defineBackend,
  type SessionBackend,
  type SessionStore,
  type SessionStoreOptions,
} from '@x/session-store';
import { type LegacyOptions, openLegacyDriver } from './legacy-driver.js';

/**
 * PicoClaw's one-file-a-session folder as a complete backend: for a run that has to go on with the older files as
 * they are. `StoreLocked` while another process does so.
 */
export async function openLegacyBackend(options: LegacyOptions & BackendOptions): Promise<SessionBackend> {
  const { now, newId } = options;
  return defineBackend(await openLegacyDriver(options), {
    ...(now === undefined ? {} : { now }),
    ...(newId === undefined ? {} : { newId }),
  });
}

/** The same, as an agent loop sees a store. */
export async function openLegacyJsonStore(
  options: LegacyOptions & SessionStoreOptions,
): Promise<SessionStore> {
  return createSessionStore(await openLegacyBackend(options), options);
}
