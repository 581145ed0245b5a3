import { openWithFallback } from '@x/agent-runtime';
import {
  type LegacyMigration,
  legacyHoldsEverything,
  migrateFromJson,
  openLegacyBackend,
  sealMigration,
} from '@x/memory-jsonl';
import type { SessionBackend } from '@x/session-store';
import type { Log } from '../log.js';
import { makeStoreFolder, openStore } from './open-store.js';
import type { StoreReference } from './store-reference.js';

/**
 * Opens a store to go on with what is in it. Where its folder holds sessions of PicoClaw's older format, they are moved into
 * it first, all of them or none: where that fails, this run goes on with the old files as they are. `StoreLocked`
 * where another process has it and shares it with nobody.
 */
export async function openForWriting(
  store: StoreReference,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Promise<SessionBackend> {
  makeStoreFolder(store);
  const open = () => openStore(store, (finding) => log.warn({ finding }, finding.message));
  if (store.kind !== 'jsonl') return open();
  const directory = store.path;
  let migration: LegacyMigration = { copied: [], present: [], problems: [] };
  const opened = await openWithFallback<SessionBackend>({
    primary: open,
    async migrate(backend) {
      migration = await migrateFromJson(directory, backend);
    },
    async seal() {
      const { sealed, unsealed } = await sealMigration(directory, migration);
      if (sealed.length > 0)
        log.info(
          { sessions: sealed.length },
          'Sessions of the older format were moved; their files end in .migrated.',
        );
      for (const { file, reason } of unsealed)
        log.warn({ file, reason }, 'An older session file was moved but could not be renamed.');
    },
    fallback: async () =>
      legacyHoldsEverything(directory)
        ? openLegacyBackend({
            directory,
            onUnreadable: (file, reason) =>
              log.warn({ file, reason }, 'An older session file cannot be read.'),
          })
        : undefined,
  });
  if (opened.source === 'fallback') {
    log.error(
      { err: opened.failure, folder: directory },
      'The sessions could not be moved to the newer format: this run goes on with the older files as they are.',
    );
  } else {
    for (const problem of migration.problems) log.warn({ problem }, problem.message);
  }
  return opened.store;
}
