import type { Change, SessionDriver, SessionMeta, StoredMessage } from '@x/session-store';
import { pageOf } from '@x/session-store';

/** Sessions in a Map. Everything else that the contract promises is made of this by `defineBackend`. */
export function createMapDriver(): SessionDriver {
  const sessions = new Map<string, { meta: SessionMeta; messages: readonly StoredMessage[] }>();
  const owners = new Map<string, string>();
  const messagesOf = (key = '') => sessions.get(key)?.messages ?? [];

  function remove(key: string) {
    sessions.delete(key);
    for (const [alias, owner] of owners) if (owner === key) owners.delete(alias);
  }

  function apply(change: Change) {
    if ('remove' in change) {
      remove(change.key);
      return;
    }
    const { key, adopt, dropThrough = 0, dropAfter = Number.MAX_SAFE_INTEGER, append = [], meta } = change;
    const kept = [...messagesOf(adopt), ...messagesOf(key)].filter(
      ({ seq }) => seq > dropThrough && seq <= dropAfter,
    );
    if (adopt !== undefined) remove(adopt);
    sessions.set(key, { meta, messages: [...kept, ...append] });
    for (const alias of change.claim ?? []) owners.set(alias, key);
  }

  return {
    name: 'map',
    capabilities: { durable: false, sharing: 'one-process', search: false, maxMessageBytes: 1_000_000 },
    async transact({ keys, aliases, messageIds }, decide) {
      const changes = decide({
        sessions: found(keys, (key) => sessions.get(key)?.meta),
        owners: found(aliases, (alias) => owners.get(alias)),
        seqs: found(messageIds, (wanted) => messagesOf(keys[0]).find(({ id }) => id === wanted)?.seq),
      });
      for (const change of changes) apply(change);
    },
    load: async (key) => structuredClone(sessions.get(key)?.meta),
    async scan(key, { after, before, limit, order }) {
      const messages = messagesOf(key).filter(({ seq }) => seq > after && seq < before);
      return structuredClone((order === 'asc' ? messages : messages.reverse()).slice(0, limit));
    },
    owner: async (alias) => owners.get(alias),
    page: async (query, after) =>
      pageOf(structuredClone([...sessions.values()].map(({ meta }) => meta)), query, after),
    close: async () => {},
  };
}

function found<T>(names: readonly string[], look: (name: string) => T | undefined): Map<string, T> {
  return new Map(
    names.flatMap((name) => [look(name)].flatMap((value) => (value === undefined ? [] : [[name, value]]))),
  );
}
