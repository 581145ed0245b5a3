import { resolve as absolutePath } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type PagePlace,
  type PageQuery,
  type ScanRange,
  type SessionDriver,
  type StoredMessage,
  StoreFailed,
  Unsupported,
} from '@x/session-store';
import { apply, lookUp } from './change-steps.js';
import { checkpoint, openDatabase } from './database-file.js';
import { createMessageSearch } from './message-search.js';
import { rowsAtOnce } from './message-table.js';
import { patiently } from './patience.js';
import { createSessionPages } from './session-page.js';
import { createTables } from './tables.js';
import { createUpkeep } from './upkeep.js';
import { createWriteQueue } from './write-queue.js';

export interface SqliteOptions {
  /** The database, PicoBot's or ours, made where it is missing; `:memory:` for one that is gone at `close`. */
  readonly file: string;
  /** `full` (default): what was acknowledged survives a power cut. `normal`: only the death of the process, but faster. */
  readonly synchronous?: 'full' | 'normal';
  /** How long a call waits while another program holds the file, in milliseconds. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** Writes nothing. A file of an older schema is shown as it was when opened. Default false. */
  readonly readOnly?: boolean;
  /** Larger messages are refused, in bytes of JSON. Default 10 MiB. */
  readonly maxMessageBytes?: number;
}

/**
 * Opens the file and brings its tables up to date. Throws `StoreFailed` where it cannot be opened or belongs to another
 * program, `StoreCorrupt` where it is no database, `StoreLocked` where another program holds it too long.
 */
export async function openSqliteDriver(options: SqliteOptions): Promise<SessionDriver> {
  const { synchronous = 'full', readOnly = false, maxMessageBytes = 10 * 1024 * 1024 } = options;
  const patienceMs = options.busyTimeoutMs ?? 10_000;
  const isInMemory = options.file === ':memory:';
  const file = isInMemory || options.file === '' ? options.file : absolutePath(options.file);
  const database = await openDatabase({ file, synchronous, readOnly, patienceMs });
  const tables = createTables(database);
  const pages = createSessionPages(database);
  const queue = createWriteQueue(database, file, patienceMs, tables.heads.forgetAll);
  const upkeep = createUpkeep(database, file, tables, queue);
  const { heads, messages, aliases, leases } = tables;
  // A read-only file of an older schema is a copy in memory: what is done to that, the file does not see.
  const isKept = !readOnly || database.memory;
  if (isKept) {
    try {
      await upkeep.settleAll();
    } catch (error) {
      database.close();
      throw error;
    }
  }

  function read<T>(task: () => T): Promise<T> {
    return patiently(file, patienceMs, task);
  }

  const findMessages = createMessageSearch(database, read, messages.find);

  /** The order and the records as of one moment. */
  const page = database.transaction((query: PageQuery, after: PagePlace | undefined) =>
    heads.all(pages.page(query, after)).map(({ meta }) => meta),
  );

  function checkWritable(): void {
    if (readOnly) throw new Unsupported(`${file} was opened to be read only.`, { path: file });
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
      durable: isInMemory ? false : synchronous === 'full' ? 'power' : 'process',
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
      const stored = await queue.write(() => {
        const found = lookUp(tables, need, true);
        const changes = decide(found);
        return () => changes.reduce((count, change) => count + apply(tables, change), 0);
      }, need.keys[0]);
      upkeep.wrote(stored);
    },
    load: (key) => read(() => heads.get(key)?.meta),
    scan,
    owner: (alias) => read(() => aliases.owner(alias)),
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
              return queue.write(() => () => leases.grant(key, holder, ttlMs), key);
            },
            async renew(key: string, token: number, ttlMs: number) {
              checkWritable();
              return queue.write(() => () => leases.renew(key, token, ttlMs), key);
            },
            async release(key: string, token: number) {
              checkWritable();
              return queue.write(() => () => leases.release(key, token), key);
            },
          },
        }),
    async close() {
      if (!database.open) return;
      try {
        await queue.idle();
        if (isKept) await upkeep.finish();
        if (!readOnly) checkpoint(database);
      } finally {
        database.close();
      }
    },
  };
}
