import type { Role, SearchHit } from '@x/session-store';
import { RunError } from '../run-error.js';
import type { StoreReference } from '../stores/store-reference.js';
import { readingStore, sessionNamed } from './session-reading.js';
import { table } from './table.js';

export interface SearchOptions {
  readonly session?: string | undefined;
  readonly channel?: string | undefined;
  readonly role?: string | undefined;
  readonly all?: boolean | undefined;
  readonly limit: number;
}

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);

/** Messages that hold the words, as the store's search finds them. `Unsupported` where it has none. */
export async function searchSessions(
  store: StoreReference,
  text: string,
  options: SearchOptions,
  asJson: boolean,
): Promise<string> {
  const { role, channel, session, limit } = options;
  if (role !== undefined && !isRole(role))
    throw new RunError(`--role: expected one of ${[...ROLES].join(', ')}, got ${role}.`, 2);
  const hits = await readingStore(store, async (backend) => {
    if (backend === undefined) return [];
    if (!backend.capabilities.search) {
      throw new RunError(
        `Unsupported: the ${backend.name} store has no search. Copy the sessions into a database and search there: holdfast sessions copy --from ${store.kind}:${store.path} --to sqlite:FILE`,
      );
    }
    const page = await backend.search(text, {
      limit,
      segment: options.all === true ? 'all' : 'active',
      ...(session === undefined ? {} : { key: (await sessionNamed(backend, session)).key }),
      ...(channel === undefined ? {} : { channel }),
      ...(role === undefined ? {} : { role }),
    });
    return page.hits;
  });
  if (asJson) return `${JSON.stringify(hits.map(viewHit), null, 2)}\n`;
  if (hits.length === 0) return 'Nothing found.\n';
  return table(
    ['SAID', 'WHO', 'SEQ', 'TEXT', 'KEY'],
    hits.map(({ key, message, snippet }) => [
      message.createdAt.slice(0, 16).replace('T', ' '),
      message.role,
      String(message.seq),
      snippet,
      key,
    ]),
  );
}

function isRole(text: string): text is Role {
  return ROLES.has(text);
}

function viewHit({ key, message, snippet }: SearchHit) {
  const { seq, id, role, createdAt } = message;
  return { key, seq, id, role, created_at: createdAt, snippet };
}
