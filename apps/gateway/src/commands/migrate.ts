import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createJsonlBackend, holdsLegacySessions, migrateFromJson, sealMigration } from '@x/memory-jsonl';
import { createMemoryBackend, type SessionBackend, type SessionMeta } from '@x/session-store';
import { sessionsOfStore } from '../configuration/data-layout.js';
import { RunError } from '../run-error.js';
import { openForReading, openStore } from '../stores/open-store.js';
import { isSameStore, type StoreReference, storeText } from '../stores/store-reference.js';
import type { TransferReport } from './copy-sessions.js';
import { type TransferredSession, transferSessions, tryTransfer } from './session-transfer.js';

/**
 * Brings PicoClaw's sessions of both formats into a store. The folder is only read, unless it is the store's own:
 * then its newer files are the store already, and its older ones are moved into it and renamed.
 */
export async function migratePicoclaw(
  folder: string,
  to: StoreReference,
  isTrial: boolean,
): Promise<TransferReport> {
  const directory = sessionsOfStore(resolve(folder));
  if (!existsSync(directory)) throw new RunError(`There is no folder ${directory}.`);
  const from: StoreReference = { kind: 'jsonl', path: directory };
  const isInPlace = isSameStore(from, to);
  const target = isTrial ? await openForReading(to) : await openStore(to);
  try {
    const older = await olderSessions(directory, target, isTrial, isInPlace);
    const newer = isInPlace ? nothing : await newerSessions(directory, target, isTrial);
    return {
      from: storeText(from),
      to: storeText(to),
      sessions: [...older.sessions, ...newer.sessions],
      problems: [...older.problems, ...newer.problems],
    };
  } finally {
    await target?.close();
  }
}

type Found = Pick<TransferReport, 'sessions' | 'problems'>;
const nothing: Found = { sessions: [], problems: [] };

async function olderSessions(
  directory: string,
  target: SessionBackend | undefined,
  isTrial: boolean,
  isInPlace: boolean,
): Promise<Found> {
  if (!holdsLegacySessions(directory)) return nothing;
  // A trial goes into a store that nobody keeps.
  const backend = isTrial || target === undefined ? createMemoryBackend() : target;
  const migration = await migrateFromJson(directory, backend);
  if (isInPlace && !isTrial) await sealMigration(directory, migration);
  const { copied, present, problems } = migration;
  const sessions: TransferredSession[] = [];
  for (const { key, messages, digest } of copied) {
    const isThere = isTrial && !isInPlace && (await target?.meta(key)) !== undefined;
    sessions.push({ key, messages, status: isThere ? 'present' : 'copied', digest });
  }
  for (const { key, messages, digest } of present)
    sessions.push({ key, messages, status: 'present', digest });
  for (const { key, message } of problems)
    if (key !== undefined)
      sessions.push({ key, messages: 0, status: 'failed', digest: null, error: message });
  return {
    sessions,
    problems: problems
      .filter(({ key }) => key === undefined)
      .map(({ file, message }) => ({ path: join(directory, file), line: null, message })),
  };
}

async function newerSessions(
  directory: string,
  target: SessionBackend | undefined,
  isTrial: boolean,
): Promise<Found> {
  const problems: TransferReport['problems'][number][] = [];
  const source = await createJsonlBackend({
    directory,
    readOnly: true,
    onFinding({ code, path, line, message }) {
      // Aliases that several sessions list are PicoClaw's way; where they lead is settled.
      if (code !== 'alias-conflict') problems.push({ path, line: line ?? null, message });
    },
  });
  try {
    const sessions =
      isTrial || target === undefined
        ? await tryTransfer(source, target, hasLifeOfItsOwn)
        : await transferSessions(source, target, hasLifeOfItsOwn);
    return { sessions, problems };
  } finally {
    await source.close();
  }
}

/** PicoClaw knows neither titles nor archives nor closed segments: where there are any, the session is ours by now. */
function hasLifeOfItsOwn(there: SessionMeta, source: SessionMeta): boolean {
  if (there.revision === source.revision) return false;
  const isOurs =
    there.title !== source.title ||
    there.archivedAt !== source.archivedAt ||
    there.segments.length > source.segments.length;
  return isOurs || there.revision > source.revision;
}
