import type { ListQuery } from './backend.js';
import type { PagePlace, PageQuery } from './driver.js';
import { Unsupported } from './errors.js';
import type { SessionMeta } from './session-meta.js';

/**
 * The next page of `records` for a driver that has them all at hand: filtered, in the query's order, from
 * behind `after`. Costs a pass over the records and a sort of those that match.
 */
export function pageOf(
  records: Iterable<SessionMeta>,
  query: PageQuery,
  after?: PagePlace,
): readonly SessionMeta[] {
  const order = query.order === 'key' ? byKey : byActivity;
  const matching: SessionMeta[] = [];
  for (const meta of records) {
    if (matchesPage(meta, query) && (after === undefined || order(after, meta) < 0)) matching.push(meta);
  }
  return matching.sort(order).slice(0, query.limit);
}

/** True where a record belongs to what the query asks for, whatever the page. */
export function matchesPage(meta: SessionMeta, query: PageQuery): boolean {
  if (query.deleted === 'exclude' && meta.deletedAt !== undefined) return false;
  if (query.deleted === 'only' && meta.deletedAt === undefined && meta.bin === undefined) return false;
  if (query.archived === 'exclude' && meta.archivedAt !== undefined) return false;
  if (query.archived === 'only' && meta.archivedAt === undefined) return false;
  if (query.channel !== undefined && meta.channel !== query.channel) return false;
  if (query.agentId !== undefined && meta.agentId !== query.agentId) return false;
  return query.text === undefined || (meta.title ?? '').toLowerCase().includes(query.text.toLowerCase());
}

function byKey(left: PagePlace, right: PagePlace): number {
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

function byActivity(left: PagePlace, right: PagePlace): number {
  if (left.activeAt !== right.activeAt) return left.activeAt > right.activeAt ? -1 : 1;
  return byKey(left, right);
}

/** A list query with its defaults: what a driver sees. */
export function pageQuery(query: ListQuery): PageQuery {
  const limit = query.limit ?? 50;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new Unsupported(`list: the limit is ${limit}, expected a whole number from 1 to 1,000.`);
  }
  return {
    order: 'activity',
    archived: query.archived ?? (query.deleted === true ? 'include' : 'exclude'),
    deleted: query.deleted === true ? 'only' : 'exclude',
    limit,
    ...(query.channel === undefined ? {} : { channel: query.channel }),
    ...(query.agentId === undefined ? {} : { agentId: query.agentId }),
    ...(query.text === undefined || query.text === '' ? {} : { text: query.text }),
  };
}

/** A place as the opaque text that a caller keeps between pages. */
export function encodeCursor(place: PagePlace): string {
  const text = JSON.stringify([place.activeAt, place.key]);
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

export function decodeCursor(cursor: string): PagePlace {
  try {
    const bytes = Uint8Array.from(atob(cursor), (letter) => letter.charCodeAt(0));
    const [activeAt, key] = JSON.parse(new TextDecoder().decode(bytes)) as unknown[];
    if (typeof activeAt === 'string' && typeof key === 'string') return { activeAt, key };
  } catch (cause) {
    throw new Unsupported('list: the cursor is not one that list gave. Begin again without it.', { cause });
  }
  throw new Unsupported('list: the cursor is not one that list gave. Begin again without it.');
}
