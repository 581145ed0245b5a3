import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  createJsonlBackend,
  holdsLegacySessions,
  type LegacyMigration,
  migrateFromJson,
  sealMigration,
} from '@x/memory-jsonl';
import { createMemoryBackend, type SessionBackend } from '@x/session-store';
import { sessionsOfStore } from '../configuration/data-layout.js';
import { RunError } from '../run-error.js';
import { openForReading, openStore } from '../stores/open-store.js';
import { isSameStore, type StoreReference, storeText } from '../stores/store-reference.js';
import type { TransferReport } from './copy-sessions.js';
import { type TransferredSession, transferSessions } from './session-transfer.js';

/**
 * Brings PicoClaw's sessions of both formats into a store. The folder is only read, unless it is the store's own:
 * then its newer files are the store already, and its older ones are moved into it and renamed.
 */
export async function migratePicoclaw(
  folder: string,
  to: StoreReference,
  dryRun: boolean,
): Promise<TransferReport> {
  const directory = sessionsOfStore(resolve(folder));
  if (!existsSync(directory)) throw new RunError(`There is no folder ${directory}.`);
  const from: StoreReference = { kind: 'jsonl', path: directory };
  const isInPlace = isSameStore(from, to);
  const found = {
    sessions: [] as TransferredSession[],
    problems: [] as TransferReport['problems'][number][],
  };
  // A trial goes into a store that nobody keeps, beside what is there.
  const target = dryRun ? await trialOf(to) : await openStore(to);
  try {
    if (holdsLegacySessions(directory)) {
      const migration = await migrateFromJson(directory, target);
      found.sessions.push(...legacySessions(migration));
      found.problems.push(
        ...migration.problems
          .filter(({ key }) => key === undefined)
          .map(({ file, message }) => ({ path: join(directory, file), line: null, message })),
      );
      if (isInPlace && !dryRun) await sealMigration(directory, migration);
    }
    if (!isInPlace) {
      const source = await openNewer(directory, (problem) => found.problems.push(problem));
      try {
        found.sessions.push(...(await transferSessions(source, target)));
      } finally {
        await source.close();
      }
    }
  } finally {
    await target.close();
  }
  return { from: storeText(from), to: storeText(to), ...found };
}

/** PicoClaw's newer format alone: the older files beside it are taken by their own way. */
function openNewer(
  directory: string,
  onProblem: (problem: TransferReport['problems'][number]) => void,
): Promise<SessionBackend> {
  return createJsonlBackend({
    directory,
    readOnly: true,
    onFinding({ code, path, line, message }) {
      // Aliases that several sessions list are PicoClaw's way; where they lead is settled.
      if (code !== 'alias-conflict') onProblem({ path, line: line ?? null, message });
    },
  });
}

async function trialOf(to: StoreReference): Promise<SessionBackend> {
  const trial = createMemoryBackend();
  const there = await openForReading(to);
  if (there !== undefined) {
    await trial.import(there.export());
    await there.close();
  }
  return trial;
}

function legacySessions({ copied, present, problems }: LegacyMigration): readonly TransferredSession[] {
  const of = (status: 'copied' | 'present') => (copy: LegacyMigration['copied'][number]) => ({
    key: copy.key,
    messages: copy.messages,
    status,
    digest: copy.digest,
  });
  return [
    ...copied.map(of('copied')),
    ...present.map(of('present')),
    ...problems.flatMap(({ key, message }) =>
      key === undefined
        ? []
        : [{ key, messages: 0, status: 'failed' as const, digest: null, error: message }],
    ),
  ];
}
