import type { SessionBackend, SessionMeta, StoredMessage } from '@x/session-store';
import { RunError } from '../run-error.js';
import { findSession } from '../session-place.js';
import { openForReading } from '../stores/open-store.js';
import type { StoreReference } from '../stores/store-reference.js';

/** Reads beside whoever writes. A store that does not exist yet has no sessions. */
export async function readingStore<Result>(
  store: StoreReference,
  read: (backend: SessionBackend | undefined) => Promise<Result>,
): Promise<Result> {
  const backend = await openForReading(store);
  try {
    return await read(backend);
  } finally {
    await backend?.close();
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

/** The session that a key, an alias or a name leads to. */
export async function sessionNamed(backend: SessionBackend | undefined, name: string): Promise<SessionMeta> {
  const meta = backend && (await findSession(backend, name));
  if (meta !== undefined) return meta;
  throw new RunError(`No session has the key or name ${JSON.stringify(name)}. See: holdfast sessions list`);
}

/** A session of which something lies in the bin, by its key, one of its aliases or its title. */
export async function deletedNamed(backend: SessionBackend, name: string): Promise<SessionMeta> {
  const deleted = await allSessions(backend, { deleted: true, all: true });
  const folded = name.toLowerCase();
  const found =
    deleted.find(({ key }) => key === name) ??
    deleted.find(({ aliases, title }) => aliases.includes(folded) || title === name);
  if (found !== undefined) return found;
  throw new RunError(
    `Nothing that is deleted has the key or name ${JSON.stringify(name)}. See: holdfast sessions list --deleted`,
  );
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
  const meta = await sessionNamed(backend, name);
  return { meta, messages: (await backend?.read(meta.key, { segment })) ?? [] };
}
