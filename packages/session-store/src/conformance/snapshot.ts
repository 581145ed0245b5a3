import type { ExportEntry, ListQuery, SessionBackend } from '../backend.js';
import type { StoredMessage } from '../message.js';
import type { SessionMeta } from '../session-meta.js';

/** Everything that can be seen of a store. */
export interface Snapshot {
  readonly entries: readonly ExportEntry[];
  /** Keys of `list`, archived sessions included. */
  readonly listed: readonly string[];
  readonly deleted: readonly string[];
  readonly sessions: readonly {
    readonly meta: SessionMeta | undefined;
    readonly active: readonly StoredMessage[];
    readonly all: readonly StoredMessage[];
  }[];
  /** Every key and recorded alias, and where it leads. */
  readonly names: readonly (readonly [string, string | undefined])[];
}

export async function snapshot(backend: SessionBackend): Promise<Snapshot> {
  const entries = await exported(backend);
  const metas = entries.flatMap((entry) => (entry.type === 'session' ? [entry.session] : []));
  const sessions = [];
  for (const { key } of metas) {
    sessions.push({
      meta: await backend.meta(key),
      active: await backend.read(key),
      all: await backend.read(key, { segment: 'all' }),
    });
  }
  const names: [string, string | undefined][] = [];
  for (const name of new Set(metas.flatMap(({ key, aliases }) => [key, ...aliases]))) {
    names.push([name, await backend.resolve(name)]);
  }
  return {
    entries,
    listed: (await listed(backend, { archived: 'include' })).map(({ key }) => key),
    deleted: (await listed(backend, { deleted: true })).map(({ key }) => key),
    sessions,
    names,
  };
}

export async function exported(backend: SessionBackend): Promise<readonly ExportEntry[]> {
  const entries: ExportEntry[] = [];
  for await (const entry of backend.export()) entries.push(entry);
  return entries;
}

/** All pages of a list, one behind the other. */
export async function listed(
  backend: SessionBackend,
  query: ListQuery = {},
): Promise<readonly SessionMeta[]> {
  const sessions: SessionMeta[] = [];
  let cursor: string | undefined;
  do {
    const page = await backend.list(query, cursor);
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sessions;
}
