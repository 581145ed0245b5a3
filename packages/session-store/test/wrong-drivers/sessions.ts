import { Buffer } from 'node:buffer';
import {
  AliasConflict,
  type ExportEntry,
  messageText,
  type SearchHit,
  type SessionBackend,
} from '../../src/index.js';
import { creatingOnAppend } from './messages.js';
import {
  backendThat,
  driverThat,
  hoarding,
  recording,
  restless,
  trace,
  transacting,
  type Wrongs,
} from './wrong.js';

export const wrongEnsurings: Wrongs = {
  'ensure: facts that are no text or no JSON are refused with Unsupported, and so are titles and summaries':
    backendThat((right) => ({
      setSummary: (key, summary, guard) => right.setSummary(key, summary ?? '', guard),
    })),
  'ensure: a session is created with what is known of it': recording(({ scope: _lost, ...meta }) => meta),
  'ensure: agent and channel are those of the scope, else those that the key tells, else main and unknown':
    recording((meta) => ({ ...meta, channel: 'unknown' })),
  'ensure: again with nothing new changes nothing': backendThat((right) => ({
    async ensure(...call) {
      const ensured = await right.ensure(...call);
      await trace(right, call[0]);
      return ensured;
    },
  })),
  'ensure: what is new is merged, a title only where there is none, null removes an attribute': backendThat(
    (right) => ({
      async ensure(key, facts, guard) {
        const ensured = await right.ensure(key, facts, guard);
        return facts?.title === undefined
          ? ensured
          : { ...ensured, meta: await right.rename(key, facts.title) };
      },
    }),
  ),
  'ensure: merging does not touch messages, counts or activity': restless,
  'ensure: many at once create one session': backendThat((right) => ({
    ensure: async (...call) => ({ ...(await right.ensure(...call)), created: true }),
  })),
  'ensure: a deleted session begins anew, what was deleted stays in its bin, and seqs go on': backendThat(
    (right) => ({
      async ensure(...call) {
        await right.restore(call[0]).catch(() => {});
        return right.ensure(...call);
      },
    }),
  ),
};

export const wrongLists: Wrongs = {
  'list: newest activity first, equal times by key': driverThat((right) => ({
    page: (query, after) => right.page({ ...query, order: 'key' }, after),
  })),
  'list: only a message is activity, no other change moves a session': restless,
  'list: the cursor of a page gives the next, until all were given once': driverThat((right) => ({
    page: async (query, after) =>
      after === undefined ? right.page(query) : (await right.page(query, after)).slice(1),
  })),
  'list: a cursor holds whatever is written meanwhile: nothing twice, nothing untouched left out':
    backendThat((right) => ({
      async list(query = {}, cursor) {
        const { sessions } = await right.list({ ...query, limit: 1000 });
        const from = Number(cursor ?? 0);
        const next = from + (query.limit ?? 50);
        return {
          sessions: sessions.slice(from, next),
          ...(next < sessions.length ? { nextCursor: String(next) } : {}),
        };
      },
    })),
  'list: filters by channel, by agent and by part of the title in any case': driverThat((right) => ({
    page: ({ text: _ignored, ...query }, after) => right.page(query, after),
  })),
  'list: archived sessions are left out, put in, or alone, as asked': driverThat((right) => ({
    page: (query, after) => right.page({ ...query, archived: 'include' }, after),
  })),
  'list: deleted shows what is deleted, wholly or in part, and nothing else does': driverThat((right) => ({
    page: (query, after) => right.page({ ...query, deleted: 'include' }, after),
  })),
  'list: a page holds 50 unless said otherwise': backendThat((right) => ({
    list: (query, cursor) => right.list({ limit: 1000, ...query }, cursor),
  })),
  'list: a page costs a page, not the store': backendThat((right) => ({
    async list(query = {}, cursor) {
      const { sessions } = await right.list({ ...query, limit: 1000 }, cursor);
      return { sessions: sessions.slice(0, query.limit) };
    },
  })),
  'list: a limit or cursor that cannot be is refused with Unsupported': backendThat((right) => ({
    list: (query = {}, cursor) => right.list({ ...query, limit: Math.max(1, query.limit ?? 50) }, cursor),
  })),
  'list: shows the records as meta does': driverThat((right) => ({
    page: async (...call) => (await right.page(...call)).map((meta) => ({ ...meta, aliases: [] })),
  })),
};

export const wrongLives: Wrongs = {
  'rename: sets the title and nothing else; an empty one takes it away; the same again changes nothing':
    backendThat((right) => ({
      async rename(key, title) {
        await trace(right, key);
        return right.rename(key, title);
      },
    })),
  'archive: puts a session away without touching it, until it is unarchived; twice is once': backendThat(
    (right) => ({
      archive: (key) => right.rename(key, 'archived'),
    }),
  ),
  'delete: hides the session everywhere but in the list of what is deleted': backendThat(
    (_right, driver) => ({
      meta: (key) => driver.load(key),
    }),
  ),
  'delete: writes to a deleted or missing session are refused with SessionNotFound': creatingOnAppend,
  'restore: brings a deleted session back as it was': backendThat((right) => ({
    async restore(key) {
      await right.restore(key);
      return right.clear(key);
    },
  })),
  'restore: what is not there is refused, what is not deleted stays as it is': backendThat((right) => ({
    async restore(key) {
      await right.ensure(key);
      return right.restore(key);
    },
  })),
  'purge: destroys a deleted session with its messages and frees its names': transacting(
    (found) => found,
    (changes) => changes.filter((change) => !('remove' in change)),
  ),
  'purge: what is not deleted is refused with SessionNotFound and stays': backendThat((right) => ({
    async purge(key) {
      await right.delete(key).catch(() => {});
      await right.purge(key);
    },
  })),
  'bin: what was deleted of a session spoken to again stays hidden': backendThat((_right, driver) => ({
    read: (key, { after = 0, before = 1e9, limit = 1e9, order = 'asc' } = {}) =>
      driver.scan(key, { after, before, limit, order }),
  })),
  'bin: restore gives it back as earlier segments, readable and not active': backendThat((right) => ({
    async restore(key) {
      await right.purge(key);
      return right.restore(key);
    },
  })),
  'bin: purge destroys it and leaves the session': hoarding,
};

export const wrongSearches: Wrongs = {
  'search: where the capabilities say no, it is refused with Unsupported': {
    driver: (right) => ({ ...right, capabilities: { ...right.capabilities, search: false } }),
    backend: (right) => ({ ...right, search: async () => ({ hits: [] }) }),
  },
  'search: finds the messages with a word, in any case of letters, with a snippet around it': backendThat(
    (right) => ({
      async search(text, ...rest) {
        const page = await right.search(text, ...rest);
        return { ...page, hits: page.hits.filter(({ message }) => messageText(message).includes(text)) };
      },
    }),
  ),
  'search: marks and operators in the text are text': backendThat((right) => ({
    search: (text, ...rest) => right.search(text.replace(/[^\w ]/g, ''), ...rest),
  })),
  'search: filters by session, channel, agent, role and time': backendThat((right) => ({
    search: (text, { role: _ignored, ...query } = {}, cursor) => right.search(text, query, cursor),
  })),
  'search: looks at the active segment unless asked for all': backendThat((right) => ({
    search: (text, query, cursor) => right.search(text, { ...query, segment: 'all' }, cursor),
  })),
  'search: finds nothing that is deleted, in a bin, cleared or replaced': driverThat((right) => {
    const index: SearchHit[] = [];
    return {
      transact: (need, decide) =>
        right.transact(need, (found) => {
          const changes = decide(found);
          for (const change of changes) {
            if (!('append' in change)) continue;
            for (const message of change.append ?? [])
              index.push({ key: change.key, message, snippet: messageText(message) });
          }
          return changes;
        }),
      search: async (text) => ({ hits: index.filter(({ snippet }) => snippet.includes(text)) }),
    };
  }),
  'search: the cursor of a page gives the next, until all were given once': backendThat((right) => ({
    search: async (...call) => ({ hits: (await right.search(...call)).hits }),
  })),
};

/** An import in which each entry passes `edit`: another entry, or none. */
function importing(
  edit: (
    entry: ExportEntry,
    right: SessionBackend,
    before: ExportEntry | undefined,
  ) => Promise<ExportEntry | undefined>,
) {
  return backendThat((right) => ({
    async import(entries) {
      async function* edited() {
        let before: ExportEntry | undefined;
        for await (const entry of entries) {
          const other = await edit(entry, right, before);
          if (other !== undefined) yield other;
          before = entry;
        }
      }
      return right.import(edited());
    },
  }));
}

export const wrongTransfers: Wrongs = {
  'export: every session, deleted ones too, ordered by key, each followed by all its messages': driverThat(
    (right) => ({
      page: (query, after) =>
        right.page(query.order === 'key' ? { ...query, deleted: 'exclude' } : query, after),
    }),
  ),
  'export: keys are ordered by UTF-16 code unit, however many there are': driverThat((right) => ({
    async page(query, after) {
      const page = await right.page(query, after);
      return query.order === 'key'
        ? [...page].sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
        : page;
    },
  })),
  'import: a copy of a copy exports the same, and behaves the same': importing(async (entry) =>
    entry.type === 'session' ? { ...entry, session: { ...entry.session, segments: [] } } : entry,
  ),
  'import: what is there and equal is passed over, so that a broken run can be repeated': importing(
    async (entry, right) => {
      if (entry.type === 'session' && (await right.meta(entry.session.key)) !== undefined)
        throw new AliasConflict('There is one already.', { key: entry.session.key });
      return entry;
    },
  ),
  'import: a session that is there and differs is refused with AliasConflict and left as it is': importing(
    async (entry, right) => {
      if (entry.type === 'session' && (await right.meta(entry.session.key)) !== undefined) {
        await right.delete(entry.session.key);
        await right.purge(entry.session.key);
      }
      return entry;
    },
  ),
  "import: an alias that is another session's is refused and reported": backendThat((right) => ({
    import: async (entries) => ({ ...(await right.import(entries)), refused: [] }),
  })),
  'import: a message that comes before its session is refused with InvalidMessage': importing(
    async (entry, _right, before) => (entry.type === 'message' && before === undefined ? undefined : entry),
  ),
  'import: a session that was changed since is refused with AliasConflict and not put back': importing(
    async (entry, right) => {
      if (entry.type === 'message') return entry;
      const { revision = 0 } = (await right.meta(entry.session.key)) ?? {};
      return { ...entry, session: { ...entry.session, revision: revision + 100 } };
    },
  ),
  'import: a later copy brings what was said since': importing(async (entry, right) => {
    const key = entry.type === 'session' ? entry.session.key : entry.key;
    return (await right.meta(key)) === undefined ? entry : undefined;
  }),
  'import: what is said in a session meanwhile is not written over': importing(async (entry, right) => {
    if (entry.type === 'message' && (await right.read(entry.key)).some(({ id }) => id === 'mine')) {
      await right.delete(entry.key);
      await right.purge(entry.key);
    }
    return entry;
  }),
  'import: what no export gives is refused with InvalidMessage, and nothing of a short session is stored':
    importing(async (entry) =>
      entry?.type === 'session' && entry.session?.lastSeq === 3
        ? { ...entry, session: { ...entry.session, messageCount: 3, activeCount: 3 } }
        : entry,
    ),
  'import: what the caller does to an entry afterwards does not reach the store': backendThat((right) => {
    let given: readonly ExportEntry[] = [];
    return {
      async import(entries) {
        given = [];
        for await (const entry of entries) given = [...given, entry];
        return right.import(given);
      },
      export: () =>
        given.length === 0
          ? right.export()
          : (async function* () {
              yield* given;
            })(),
    };
  }),
  'export: a session that is rewritten while it is read ends the export, and never comes out mixed':
    backendThat((right) => ({
      async *export() {
        try {
          yield* right.export();
        } catch {
          // What came so far is taken for all.
        }
      },
    })),
};
