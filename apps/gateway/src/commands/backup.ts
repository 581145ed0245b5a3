import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import { makeFolder } from '../folder.js';
import { RunError } from '../run-error.js';
import { isThere, openForReading } from '../stores/open-store.js';
import { type StoreReference, storeText } from '../stores/store-reference.js';
import { copySessions, isWhole } from './copy-sessions.js';
import { allSessions } from './session-reading.js';

/** What a backup holds. */
export interface BackupReport {
  readonly from: string;
  /** A store that every command takes. */
  readonly to: string;
  readonly sessions: number;
  readonly messages: number;
  /** What could not be read, and is not in the backup. */
  readonly problems: readonly string[];
}

/**
 * Copies a store while others go on writing to it; the copy is there when it is whole. Of a database it is one moment;
 * of session files each session is as it was at one. `configuration` is that of the gateway whose store it is: what its
 * gateway keeps beside session files is copied into the folder, so that it can be a data folder.
 * (shown by: a backup beside a running gateway is a store, and a data folder to go on with)
 */
export async function backUp(
  store: StoreReference,
  destination: string,
  configuration?: Configuration,
): Promise<BackupReport> {
  if (store.kind === 'openclaw')
    throw new RunError("Unsupported: OpenClaw's sessions are only read here. Bring them over with migrate.");
  if (!isThere(store)) throw new RunError(`There are no sessions at ${storeText(store)}.`);
  if (existsSync(destination))
    throw new RunError(`${destination} exists already. Name a new place for the backup.`);
  makeFolder(dirname(destination));
  const to = { kind: store.kind, path: destination };
  const problems =
    store.kind === 'sqlite' ? await copyFile(store, to) : await copyFolder(store, to, configuration);
  return { from: storeText(store), to: storeText(to), ...(await sizeOf(to)), problems };
}

async function copyFile(from: StoreReference, to: StoreReference): Promise<readonly string[]> {
  const { backupSqlite } = await import('@x/session-sqlite');
  await backupSqlite(from.path, to.path);
  return [];
}

async function copyFolder(
  from: StoreReference,
  to: StoreReference,
  configuration: Configuration | undefined,
): Promise<readonly string[]> {
  const partial = `${to.path}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    const report = await copySessions(from, { ...to, path: partial });
    if (configuration !== undefined) await copyOperations(configuration, partial);
    await rename(partial, to.path);
    if (isWhole(report)) return [];
    const failed = report.sessions.flatMap(({ key, error }) =>
      error === undefined ? [] : [`${key}: ${error}`],
    );
    return [...report.problems.map(({ message }) => message), ...failed];
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** What is kept beside the sessions goes where a gateway over that folder looks for it. */
async function copyOperations(configuration: Configuration, folder: string): Promise<void> {
  const { operations } = dataLayout(configuration);
  if (!existsSync(operations)) return;
  const { backupSqlite } = await import('@x/session-sqlite');
  const target = join(folder, '.holdfast', 'gateway', 'holdfast.sqlite');
  makeFolder(dirname(target));
  await backupSqlite(operations, target);
}

async function sizeOf(store: StoreReference): Promise<{ sessions: number; messages: number }> {
  const backend = await openForReading(store);
  if (backend === undefined) return { sessions: 0, messages: 0 };
  try {
    const all = [
      ...(await allSessions(backend, { all: true })),
      ...(await allSessions(backend, { all: true, deleted: true })),
    ];
    const keys = new Map(all.map((meta) => [meta.key, meta.messageCount + (meta.bin?.count ?? 0)]));
    return { sessions: keys.size, messages: [...keys.values()].reduce((sum, count) => sum + count, 0) };
  } finally {
    await backend.close();
  }
}
