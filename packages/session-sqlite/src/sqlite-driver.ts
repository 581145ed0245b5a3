import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type PagePlace,
  type PageQuery,
  type ScanRange,
  type SessionDriver,
  type StoredMessage,
  StoreFailed,
} from '@x/session-store';
import { createSessionNames } from './alias-table.js';
import { apply, lookUp } from './change-steps.js';
import { createMessageSearch } from './message-search.js';
import { rowsAtOnce } from './message-table.js';
import { createSessionPages } from './session-page.js';
import {
  accessTo,
  openSqliteFile,
  readOnlyError,
  type SqliteFile,
  type SqliteFileOptions,
} from './sqlite-file.js';
import { createTables } from './tables.js';
import { createUpkeep } from './upkeep.js';

interface SessionLimits {
  /** Larger messages are refused, in bytes of JSON. Default 10 MiB. */
  readonly maxMessageBytes?: number;
}
/** A file that the store opens for itself, or one that is open already and stays so. */
export type SqliteOptions = (SqliteFileOptions | { readonly file: SqliteFile }) & SessionLimits;

/** Throws as `openSqliteFile` does. */
export async function openSqliteDriver(options: SqliteOptions): Promise<SessionDriver> {
  const { maxMessageBytes = 10 * 1024 * 1024 } = options;
  const isOwn = hasName(options);
  const opened = isOwn ? await openSqliteFile(options) : options.file;
  const access = accessTo(opened);
  const { database, path: file, readOnly, read } = access;
  const isInMemory = file === ':memory:';
  const tables = createTables(database);
  const pages = createSessionPages(database);
  const { heads, messages, aliases, leases } = tables;
  access.onRollback(heads.forgetAll);
  const upkeep = createUpkeep(access, tables);
  // A read-only file of an older schema is a copy in memory: what is done to that, the file does not see.
  const isKept = !readOnly || database.memory;
  if (isKept) {
    try {
      await upkeep.settleAll();
    } catch (error) {
      if (isOwn) await opened.close();
      throw error;
    }
  }

  const findMessages = createMessageSearch(database, read, messages.find);

  /** The order and the records as of one moment. */
  const page = database.transaction((query: PageQuery, after: PagePlace | undefined) =>
    heads.all(pages.page(query, after)).map(({ meta }) => meta),
  );

  function checkWritable(): void {
    if (readOnly) throw readOnlyError(file);
  }

  /** One piece after the other, with room for others in between; read anew where another process got in between. */
  async function scan(key: string, range: ScanRange): Promise<readonly StoredMessage[]> {
    const id = key;
    const first = await read(() => messages.scan(id, range));
    if (first.length < rowsAtOnce || range.limit <= rowsAtOnce) return first;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const revision = await read(() => heads.get(key)?.meta.revision);
      const all = await scanPieces(id, range);
      if ((await read(() => heads.get(key)?.meta.revision)) === revision) return all;
    }
    throw new StoreFailed(`read: session "${key}" was changed by others all the while. Try again.`, {
      key,
      path: file,
    });
  }

  async function scanPieces(id: string, range: ScanRange): Promise<StoredMessage[]> {
    const all: StoredMessage[] = [];
    let rest = range;
    for (;;) {
      const piece = await read(() => messages.scan(id, rest));
      for (const message of piece) all.push(message);
      const last = piece.at(-1);
      if (last === undefined || piece.length < rowsAtOnce || all.length >= range.limit) return all;
      const place = range.order === 'asc' ? { after: last.seq } : { before: last.seq };
      rest = { ...rest, ...place, limit: range.limit - all.length };
      await nextTurn();
    }
  }

  return {
    name: 'sqlite',
    capabilities: {
      durable: isInMemory ? false : access.synchronous === 'full' ? 'power' : 'process',
      sharing: isInMemory ? 'one-process' : 'many-processes',
      search: true,
      maxMessageBytes,
    },

    async transact(need, decide) {
      if (readOnly) {
        const found = await read(() => lookUp(tables, need, false));
        if (decide(found).length > 0) checkWritable();
        return;
      }
      const stored = await access.write(() => {
        const found = lookUp(tables, need, true);
        const changes = decide(found);
        return () => changes.reduce((count, change) => count + apply(tables, change), 0);
      }, need.keys[0]);
      upkeep.wrote(stored);
    },
    load: (key) => read(() => heads.get(key)?.meta),
    scan,
    owner: (alias) => read(() => aliases.owner(alias)),
    names: createSessionNames(database),
    page: (query, after) => read(() => page(query, after)),
    async search(text, query, cursor) {
      if (isKept) await upkeep.catchUp();
      return findMessages(text, query, cursor);
    },
    ...(isInMemory
      ? {}
      : {
          leases: {
            async grant(key: string, holder: string, ttlMs: number) {
              checkWritable();
              return access.write(() => () => leases.grant(key, holder, ttlMs), key);
            },
            async renew(key: string, token: number, ttlMs: number) {
              checkWritable();
              return access.write(() => () => leases.renew(key, token, ttlMs), key);
            },
            async release(key: string, token: number) {
              checkWritable();
              return access.write(() => () => leases.release(key, token), key);
            },
          },
        }),
    async close() {
      if (!database.open) return;
      try {
        await access.queue.idle();
        if (isKept) await upkeep.finish();
      } finally {
        if (isOwn) await opened.close();
      }
    },
  };
}

function hasName(options: SqliteOptions): options is SqliteFileOptions & SessionLimits {
  return typeof options.file === 'string';
}
