import { createAppends } from './appends.js';
import type {
  ExportEntry,
  ListQuery,
  ReadRange,
  SearchQuery,
  SessionBackend,
  WriteGuard,
} from './backend.js';
import { resetSession, truncateActive } from './cut.js';
import type { SessionDriver } from './driver.js';
import { ensureSession, foldedAliases, takeFacts } from './ensure.js';
import { SessionNotFound, StoreClosed, Unsupported } from './errors.js';
import { createKeyLanes } from './key-lanes.js';
import { createLeasesInProcess } from './leases-in-process.js';
import { takeMessages } from './message-intake.js';
import { decodeCursor, encodeCursor, pageQuery } from './page.js';
import { promoteAlias } from './promotion.js';
import { replaceActive } from './replace.js';
import { resolveAtOnce, resolveName } from './resolve.js';
import { exportSessions } from './session-export.js';
import { afterClear, afterCompact, afterRestore, touched } from './session-fold.js';
import { importSessions } from './session-import.js';
import { checkKey, checkText } from './session-key-check.js';
import type { SessionFacts, SessionMeta } from './session-meta.js';
import { createStoreCore, isLive, leaseLost } from './store-core.js';

export interface BackendOptions {
  /** The store's clock. Default: the machine's. */
  readonly now?: () => Date;
  /** Ids of messages that come without one. Default: a random UUID. */
  readonly newId?: () => string;
}

/** Makes the whole contract of a driver: checks, order, numbering, aliases, leases and errors, once for all. */
export function defineBackend(driver: SessionDriver, options: BackendOptions = {}): SessionBackend {
  const { now = () => new Date(), newId = () => crypto.randomUUID() } = options;
  const lanes = createKeyLanes();
  const inProcess = driver.leases === undefined ? createLeasesInProcess(() => now().getTime()) : undefined;
  const leases = driver.leases ?? inProcess;
  const core = createStoreCore({ driver, lanes, leases: inProcess, now: isoClock(now), newId });
  const appends = createAppends(core);
  let closing: Promise<void> | undefined;

  function checkOpen(): void {
    if (closing !== undefined)
      throw new StoreClosed(`The ${driver.name} store is closed. Open it again to go on.`);
  }

  /** Runs a call that waits for no session; closing waits for it all the same. */
  const beside = new Set<Promise<unknown>>();
  async function underWay<T>(call: () => Promise<T>): Promise<T> {
    checkOpen();
    const running = call();
    beside.add(running);
    try {
      return await running;
    } finally {
      beside.delete(running);
    }
  }

  /** Runs a task alone on its session, behind what was asked of it before. */
  async function alone<T>(key: string, task: () => Promise<T>, others: readonly string[] = []): Promise<T> {
    checkOpen();
    checkKey(key);
    appends.seal(key);
    for (const other of others) appends.seal(other);
    return lanes.run([key, ...others], task);
  }

  function change(
    operation: string,
    key: string,
    edit: (meta: SessionMeta, at: string) => SessionMeta,
  ): Promise<SessionMeta> {
    return alone(key, () =>
      core.edit(operation, key, {}, (meta, at) => {
        const after = edit(meta, at);
        return after === meta ? undefined : { key, meta: after };
      }),
    );
  }

  return {
    name: driver.name,
    capabilities: driver.capabilities,

    append(key, messages, guard = {}) {
      // Without `async`, whose promise would come on top of the one that is waited for.
      try {
        checkOpen();
        checkKey(key);
        return appends.append(key, takeMessages(key, messages, driver.capabilities.maxMessageBytes), guard);
      } catch (error) {
        return Promise.reject(error);
      }
    },

    async read(key, range = {}) {
      checkRange(key, range);
      return alone(key, async () => {
        const meta = await core.guarded('read', key, () => driver.load(key));
        if (!isLive(meta)) return [];
        const hidden = meta.bin?.throughSeq ?? 0;
        const start = range.segment === 'all' ? hidden : Math.max(hidden, meta.cutoff);
        const {
          after = 0,
          before = meta.lastSeq + 1,
          limit = Number.MAX_SAFE_INTEGER,
          order = 'asc',
        } = range;
        return core.guarded('read', key, () =>
          driver.scan(key, { after: Math.max(start, after), before, limit, order }),
        );
      });
    },

    async meta(key) {
      return alone(key, async () => {
        const meta = await core.guarded('meta', key, () => driver.load(key));
        return isLive(meta) ? meta : undefined;
      });
    },

    async ensure(key, facts: SessionFacts = {}, guard: WriteGuard = {}) {
      checkOpen();
      checkKey(key);
      const copied = takeFacts(key, facts);
      const aliases = foldedAliases(key, copied.aliases ?? []);
      for (const alias of aliases) checkKey(alias, 'alias');
      return alone(key, () => ensureSession(core, key, copied, aliases, guard), aliases);
    },

    async resolve(candidate) {
      checkOpen();
      checkKey(candidate, 'session name');
      const { names } = driver;
      try {
        if (names !== undefined) return resolveAtOnce(names, candidate);
      } catch {
        // The long way waits where that helps, and says what is wrong where it does not.
      }
      return underWay(() => resolveName(core, candidate));
    },

    async promote(key, aliases, guard = {}) {
      const names = [...new Set(aliases)];
      for (const alias of names) checkKey(alias, 'alias');
      return alone(key, () => promoteAlias(core, key, names, guard), [
        ...names,
        ...foldedAliases(key, names),
      ]);
    },

    async setSummary(key, summary, guard = {}) {
      checkText('setSummary', key, 'summary', summary);
      return alone(key, () =>
        core.edit('setSummary', key, guard, (meta, at) =>
          meta.summary === summary ? undefined : { key, meta: touched({ ...meta, summary }, at) },
        ),
      );
    },

    async replace(key, messages, guard = {}) {
      const taken = takeMessages(key, messages, driver.capabilities.maxMessageBytes);
      return alone(key, () => replaceActive(core, key, taken, guard));
    },

    async truncate(key, cut, guard = {}) {
      return alone(key, () => truncateActive(core, key, cut, guard));
    },

    async reset(key, resetOptions = {}, guard = {}) {
      return alone(key, () => resetSession(core, key, resetOptions, guard));
    },

    async compact(key, guard = {}) {
      let removed = 0;
      await alone(key, () =>
        core.edit('compact', key, guard, (meta, at) => {
          removed = meta.messageCount - meta.activeCount + (meta.bin?.count ?? 0);
          return removed === 0 ? undefined : { key, dropThrough: meta.cutoff, meta: afterCompact(meta, at) };
        }),
      );
      return { removed };
    },

    async clear(key, guard = {}) {
      return alone(key, () =>
        core.edit('clear', key, guard, (meta, at) => ({
          key,
          dropThrough: meta.lastSeq,
          meta: afterClear(meta, at),
        })),
      );
    },

    async list(query: ListQuery = {}, cursor) {
      checkOpen();
      const wanted = pageQuery(query);
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      // One more than asked tells whether there is another page.
      const found = await underWay(() =>
        core.guarded('list', undefined, () => driver.page({ ...wanted, limit: wanted.limit + 1 }, after)),
      );
      const sessions = found.slice(0, wanted.limit);
      const last = sessions.at(-1);
      return {
        sessions,
        ...(found.length > sessions.length && last !== undefined ? { nextCursor: encodeCursor(last) } : {}),
      };
    },

    async rename(key, title) {
      checkText('rename', key, 'title', title);
      return change('rename', key, (meta, at) => {
        const { title: before, ...rest } = meta;
        return (before ?? '') === title ? meta : touched(title === '' ? rest : { ...rest, title }, at);
      });
    },

    async archive(key) {
      return change('archive', key, (meta, at) =>
        meta.archivedAt === undefined ? touched({ ...meta, archivedAt: at }, at) : meta,
      );
    },

    async unarchive(key) {
      return change('unarchive', key, (meta, at) => {
        const { archivedAt, ...rest } = meta;
        return archivedAt === undefined ? meta : touched(rest, at);
      });
    },

    async delete(key) {
      await change('delete', key, (meta, at) => touched({ ...meta, deletedAt: at }, at));
    },

    async restore(key) {
      let restored: SessionMeta | undefined;
      await alone(key, () =>
        core.transact('restore', { keys: [key] }, {}, (found) => {
          const meta = found.sessions.get(key);
          if (meta === undefined)
            throw new SessionNotFound(`restore: there is no session "${key}".`, { key });
          restored = afterRestore(meta, core.now());
          return restored === meta ? [] : [{ key, meta: restored }];
        }),
      );
      if (restored === undefined)
        throw new SessionNotFound(`restore: there is no session "${key}".`, { key });
      return restored;
    },

    async purge(key) {
      await alone(key, () =>
        core.transact('purge', { keys: [key] }, {}, (found) => {
          const meta = found.sessions.get(key);
          if (meta?.deletedAt !== undefined) return [{ key, remove: true }];
          if (meta?.bin === undefined) {
            throw new SessionNotFound(`purge: nothing of session "${key}" is deleted. Delete it first.`, {
              key,
            });
          }
          const { bin, ...rest } = meta;
          return [{ key, dropThrough: bin.throughSeq, meta: touched(rest, core.now()) }];
        }),
      );
    },

    async search(text, query: SearchQuery = {}, cursor) {
      checkOpen();
      const { search } = driver;
      if (search === undefined || !driver.capabilities.search) {
        throw new Unsupported(`search: the ${driver.name} store has no search. Its capabilities say so.`);
      }
      const bounded = { ...query, limit: Math.min(query.limit ?? 20, 1000) };
      return underWay(() =>
        core.guarded('search', query.key, () => search.call(driver, text, bounded, cursor)),
      );
    },

    async *export(): AsyncGenerator<ExportEntry> {
      yield* exportSessions(core, underWay);
    },

    async import(entries) {
      checkOpen();
      return importSessions(core, entries, underWay);
    },

    async lease(key, { holder, ttlMs }) {
      checkOpen();
      checkKey(key);
      checkText('lease', key, 'holder', holder);
      if (!Number.isFinite(ttlMs) || ttlMs <= 0)
        throw new Unsupported(`lease: ttlMs is ${ttlMs}; expected a number of milliseconds above 0.`, {
          key,
        });
      if (leases === undefined)
        throw new Unsupported(`lease: the ${driver.name} store has no leases.`, { key });
      const token = await underWay(() => core.guarded('lease', key, () => leases.grant(key, holder, ttlMs)));
      if (token === undefined) return undefined;
      return {
        key,
        token,
        async renew() {
          const renewed = await underWay(() =>
            core.guarded('lease', key, () => leases.renew(key, token, ttlMs)),
          );
          if (!renewed) throw leaseLost(key);
        },
        async release() {
          await underWay(() => core.guarded('lease', key, () => leases.release(key, token)));
        },
      };
    },

    close() {
      closing ??= (async () => {
        await Promise.all([lanes.idle(), Promise.allSettled(beside)]);
        await core.guarded('close', undefined, () => driver.close());
      })();
      return closing;
    },
  };
}

/** The clock as ISO 8601; a time is spelled once however often it is asked for. */
function isoClock(now: () => Date): () => string {
  let spelled: number | undefined;
  let text = '';
  return () => {
    const date = now();
    const time = date.getTime();
    if (time !== spelled) text = date.toISOString();
    spelled = time;
    return text;
  };
}

function checkRange(key: string, range: ReadRange): void {
  for (const [name, value] of Object.entries({
    after: range.after,
    before: range.before,
    limit: range.limit,
  })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 0)) {
      throw new Unsupported(`read: ${name} is ${value}; expected a whole number from 0.`, { key });
    }
  }
}
