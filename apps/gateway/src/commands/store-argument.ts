import { resolve } from 'node:path';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout, sessionsOfStore } from '../configuration/data-layout.js';
import { RunError } from '../run-error.js';
import { isThere } from '../stores/open-store.js';
import {
  isFolderStore,
  parseStoreReference,
  STORE_FORMS,
  type StoreReference,
} from '../stores/store-reference.js';

/** The store of a `--store` argument, which must be there unless it `mayBeNew`; else the configured one. */
export async function storeOf(
  argument: string | undefined,
  configuration: () => Promise<Configuration>,
  option = '--store',
  mayBeNew = false,
): Promise<StoreReference> {
  if (argument === undefined) return dataLayout(await configuration()).store;
  const given = parseStoreReference(argument);
  if (given === undefined) {
    throw new RunError(
      `${option}: expected ${STORE_FORMS}, got ${argument}; other stores are not in this version.`,
      2,
    );
  }
  const path = resolve(given.path);
  const store = { kind: given.kind, path: given.kind === 'jsonl' ? sessionsOfStore(path) : path };
  if (mayBeNew || isThere(store)) return store;
  throw new RunError(`${option}: there is no ${isFolderStore(given) ? 'folder' : 'file'} ${store.path}.`);
}
