import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';
import type { SessionBackend, SessionMeta, StoredMessage } from '@x/session-store';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout, sessionsOfStore } from '../configuration/data-layout.js';
import { RunError } from '../run-error.js';
import { findSession } from '../session-place.js';

/** The folder of a `--store` argument, or the configured one. */
export async function storeFolder(
  argument: string | undefined,
  configuration: () => Promise<Configuration>,
): Promise<string> {
  if (argument === undefined) return dataLayout(await configuration()).sessions;
  const [, kind, place = ''] = /^([a-z]+):(.+)$/s.exec(argument) ?? [];
  if (kind !== 'jsonl') {
    throw new RunError(
      `--store: expected jsonl:DIR, got ${argument}; other stores are not in this version.`,
      2,
    );
  }
  const folder = sessionsOfStore(resolve(place));
  if (!existsSync(folder)) throw new RunError(`--store: there is no folder ${folder}.`);
  return folder;
}

/** Reads beside whoever writes: takes no lock, changes nothing. A folder that does not exist yet has no sessions. */
export async function readingStore<Result>(
  folder: string,
  read: (backend: SessionBackend | undefined) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(folder)) return read(undefined);
  const backend = await createJsonlBackend({ directory: folder, readOnly: true });
  try {
    return await read(backend);
  } finally {
    await backend.close();
  }
}

export interface ListFilter {
  readonly channel?: string | undefined;
  readonly all?: boolean | undefined;
  readonly deleted?: boolean | undefined;
}

/** All sessions that pass the filter, newest activity first. */
export async function allSessions(backend: SessionBackend, filter: ListFilter): Promise<SessionMeta[]> {
  const sessions: SessionMeta[] = [];
  let cursor: string | undefined;
  do {
    const page = await backend.list(
      {
        limit: 1000,
        archived: filter.all === true ? 'include' : 'exclude',
        deleted: filter.deleted === true,
        ...(filter.channel === undefined ? {} : { channel: filter.channel }),
      },
      cursor,
    );
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sessions;
}

export interface SessionReading {
  readonly meta: SessionMeta;
  readonly messages: readonly StoredMessage[];
}

export async function readSession(
  backend: SessionBackend | undefined,
  name: string,
  segment: 'active' | 'all',
): Promise<SessionReading> {
  const meta = backend && (await findSession(backend, name));
  if (!backend || !meta)
    throw new RunError(`No session has the key or name ${JSON.stringify(name)}. See: holdfast sessions list`);
  return { meta, messages: await backend.read(meta.key, { segment }) };
}
