import type { SearchHit } from './backend.js';
import type { Change, SessionDriver } from './driver.js';
import { Unsupported } from './errors.js';
import { messageText, type StoredMessage } from './message.js';
import { pageOf } from './page.js';
import type { SessionMeta } from './session-meta.js';

interface Record {
  readonly meta: SessionMeta;
  /** By seq, ascending. */
  readonly messages: StoredMessage[];
  readonly seqs: Map<string, number>;
}

/** Everything in maps: the reference for others, the store of tests and of sub-turns. Gone with the process. */
export function createMemoryDriver(options: { readonly maxMessageBytes?: number } = {}): SessionDriver {
  const records = new Map<string, Record>();
  const owners = new Map<string, string>();

  function free(key: string): void {
    for (const [alias, owner] of owners) if (owner === key) owners.delete(alias);
  }

  function apply(change: Change): void {
    if ('remove' in change) {
      records.delete(change.key);
      free(change.key);
      return;
    }
    const adopted = change.adopt === undefined ? undefined : records.get(change.adopt);
    if (change.adopt !== undefined) {
      records.delete(change.adopt);
      free(change.adopt);
    }
    const before = records.get(change.key);
    const { dropThrough = 0, dropAfter = Number.MAX_SAFE_INTEGER } = change;
    const rewritten =
      adopted !== undefined || change.dropThrough !== undefined || change.dropAfter !== undefined;
    const messages = rewritten
      ? [...(adopted?.messages ?? []), ...(before?.messages ?? [])].filter(
          ({ seq }) => seq > dropThrough && seq <= dropAfter,
        )
      : (before?.messages ?? []);
    const seqs = rewritten ? new Map(messages.map(({ id, seq }) => [id, seq])) : (before?.seqs ?? new Map());
    for (const message of change.append ?? []) {
      // Frozen, so that no reader can change what is stored.
      messages.push(frozen(message));
      seqs.set(message.id, message.seq);
    }
    records.set(change.key, { meta: frozen(change.meta), messages, seqs });
    for (const alias of change.claim ?? []) owners.set(alias, change.key);
  }

  return {
    name: 'memory',
    capabilities: {
      durable: false,
      sharing: 'one-process',
      search: true,
      maxMessageBytes: options.maxMessageBytes ?? 10 * 1024 * 1024,
    },
    async transact(need, decide) {
      const [first] = need.keys;
      const seqs = first === undefined ? undefined : records.get(first)?.seqs;
      const changes = decide({
        sessions: present(need.keys, (key) => records.get(key)?.meta),
        owners: present(need.aliases, (alias) => owners.get(alias)),
        seqs: present(need.messageIds, (id) => seqs?.get(id)),
      });
      for (const change of changes) apply(change);
    },
    async load(key) {
      return records.get(key)?.meta;
    },
    async scan(key, { after, before, limit, order }) {
      const messages = records.get(key)?.messages ?? [];
      const from = firstBehind(messages, after);
      const to = firstBehind(messages, before - 1);
      return order === 'asc'
        ? messages.slice(from, Math.min(to, from + limit))
        : messages.slice(Math.max(from, to - limit), to).reverse();
    },
    async owner(alias) {
      return owners.get(alias);
    },
    async page(query, after) {
      return pageOf(
        [...records.values()].map(({ meta }) => meta),
        query,
        after,
      );
    },
    async search(text, query, cursor) {
      const skip = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isInteger(skip)) throw new Unsupported('search: the cursor is not one that search gave.');
      const wanted = text.toLowerCase();
      const hits: SearchHit[] = [];
      for (const { meta, messages } of records.values()) {
        if (meta.deletedAt !== undefined || (query.key !== undefined && query.key !== meta.key)) continue;
        if (query.channel !== undefined && query.channel !== meta.channel) continue;
        if (query.agentId !== undefined && query.agentId !== meta.agentId) continue;
        const after = Math.max(meta.bin?.throughSeq ?? 0, query.segment === 'all' ? 0 : meta.cutoff);
        for (const message of messages) {
          if (message.seq <= after || (query.role !== undefined && query.role !== message.role)) continue;
          if (query.since !== undefined && message.createdAt < query.since) continue;
          if (query.until !== undefined && message.createdAt > query.until) continue;
          const content = messageText(message);
          const place = content.toLowerCase().indexOf(wanted);
          if (place >= 0)
            hits.push({
              key: meta.key,
              message,
              snippet: content.slice(Math.max(0, place - 40), place + 80),
            });
        }
      }
      const shown = hits.slice(skip, skip + query.limit);
      const next = skip + shown.length;
      return { hits: shown, ...(next < hits.length ? { nextCursor: String(next) } : {}) };
    },
    async close() {},
  };
}

/** The index of the first message with a higher seq. */
function firstBehind(messages: readonly StoredMessage[], seq: number): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

function present<T>(names: readonly string[], look: (name: string) => T | undefined): Map<string, T> {
  const found = new Map<string, T>();
  for (const name of names) {
    const value = look(name);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
