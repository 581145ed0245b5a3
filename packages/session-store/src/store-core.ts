import type { WriteGuard } from './backend.js';
import type { Change, Found, Need, SessionDriver } from './driver.js';
import {
  LeaseLost,
  SessionNotFound,
  SessionStoreError,
  StoreFailed,
  StoreFull,
  Unsupported,
} from './errors.js';
import type { KeyLanes } from './key-lanes.js';
import type { LeasesInProcess } from './leases-in-process.js';
import type { SessionMeta } from './session-meta.js';

/** Runs one step of a long call; throws `StoreClosed` once the store is closing, which waits for the step. */
export type Step = <T>(call: () => Promise<T>) => Promise<T>;

/** What every operation of a backend stands on: the driver behind one error wall, fences, the clock, the lanes. */
export interface StoreCore {
  readonly driver: SessionDriver;
  readonly lanes: KeyLanes;
  readonly leases: LeasesInProcess | undefined;
  now(): string;
  newId(): string;
  /** Runs a call on the driver; what it throws comes out as a `SessionStoreError` that names the session. */
  guarded<T>(operation: string, key: string | undefined, call: () => Promise<T>): Promise<T>;
  /** One atomic step on the driver. Throws `LeaseLost` where the guard's lease is no longer in force. */
  transact(
    operation: string,
    need: Partial<Need> & Pick<Need, 'keys'>,
    guard: WriteGuard,
    decide: (found: Found) => readonly Change[],
  ): Promise<void>;
  /** Changes the record of one live session, and what the change carries. Undefined: nothing to do. */
  edit(
    operation: string,
    key: string,
    guard: WriteGuard,
    plan: (meta: SessionMeta, at: string) => Change | undefined,
  ): Promise<SessionMeta>;
  /** Like `transact`, for a plan that has to read messages of the first key: made again where that changed meanwhile. */
  transactAfterReading<T>(
    operation: string,
    need: Partial<Need> & Pick<Need, 'keys'>,
    guard: WriteGuard,
    plan: (read: SessionMeta) => Promise<(found: Found, at: string) => Decided<T>>,
  ): Promise<T>;
  /** Like `edit`, for such a plan. */
  editAfterReading(
    operation: string,
    key: string,
    guard: WriteGuard,
    plan: (meta: SessionMeta) => Promise<(at: string) => Change | undefined>,
  ): Promise<SessionMeta>;
}

export interface Decided<T> {
  readonly changes: readonly Change[];
  readonly outcome: T;
}

export function createStoreCore(
  parts: Pick<StoreCore, 'driver' | 'lanes' | 'leases' | 'now' | 'newId'>,
): StoreCore {
  const { driver, leases, now } = parts;

  const core: StoreCore = {
    ...parts,
    guarded(operation, key, call) {
      const failed = (cause: unknown): never => {
        throw asStoreError(driver.name, operation, key, cause);
      };
      try {
        return call().catch(failed);
      } catch (cause) {
        return Promise.reject(asStoreError(driver.name, operation, key, cause));
      }
    },
    transact(operation, need, guard, decide) {
      const [key] = need.keys;
      const lease = guard.lease;
      if (lease !== undefined && lease.key !== key) {
        const place = key === undefined ? {} : { key };
        const problem = `the lease is for session "${lease.key}" and says nothing of session "${key}".`;
        return Promise.reject(new Unsupported(`${operation}: ${problem}`, place));
      }
      const { keys, aliases = [], messageIds = [] } = need;
      if (lease === undefined) {
        return core.guarded(operation, key, () => driver.transact({ keys, aliases, messageIds }, decide));
      }
      const fence = leases === undefined ? { fence: { key: lease.key, token: lease.token } } : {};
      return core.guarded(operation, key, () =>
        driver.transact({ keys, aliases, messageIds, ...fence }, (found) => {
          if (leases?.holds(lease.key, lease.token) === false) throw leaseLost(lease.key);
          return decide(found);
        }),
      );
    },
    async edit(operation, key, guard, plan) {
      let after: SessionMeta | undefined;
      await core.transact(operation, { keys: [key] }, guard, (found) => {
        const meta = liveOr(found.sessions.get(key), operation, key);
        const change = plan(meta, now());
        after = change !== undefined && 'meta' in change ? change.meta : meta;
        return change === undefined ? [] : [change];
      });
      if (after === undefined) throw new Error('The driver resolved without calling decide.');
      return after;
    },
    async transactAfterReading<T>(
      operation: string,
      need: Partial<Need> & Pick<Need, 'keys'>,
      guard: WriteGuard,
      plan: (read: SessionMeta) => Promise<(found: Found, at: string) => Decided<T>>,
    ) {
      const [key = ''] = need.keys;
      for (let attempt = 1; attempt <= 20; attempt += 1) {
        const read = liveOr(await core.guarded(operation, key, () => driver.load(key)), operation, key);
        const decide = await plan(read);
        let decided: Decided<T> | undefined;
        await core.transact(operation, need, guard, (found) => {
          const meta = liveOr(found.sessions.get(key), operation, key);
          decided = meta.revision === read.revision ? decide(found, now()) : undefined;
          return decided?.changes ?? [];
        });
        if (decided !== undefined) return decided.outcome;
      }
      throw new StoreFailed(
        `${operation}: session "${key}" was changed by others 20 times in a row. Try again.`,
        { key },
      );
    },
    editAfterReading(operation, key, guard, plan) {
      return core.transactAfterReading(operation, { keys: [key] }, guard, async (meta) => {
        const decide = await plan(meta);
        return (_found, at) => {
          const change = decide(at);
          if (change === undefined) return { changes: [], outcome: meta };
          return { changes: [change], outcome: 'meta' in change ? change.meta : meta };
        };
      });
    },
  };
  return core;
}

export function isLive(meta: SessionMeta | undefined): meta is SessionMeta {
  return meta !== undefined && meta.deletedAt === undefined;
}

/** The record of a session that can be written to; throws `SessionNotFound` otherwise. */
export function liveOr(meta: SessionMeta | undefined, operation: string, key: string): SessionMeta {
  if (isLive(meta)) return meta;
  throw meta === undefined
    ? new SessionNotFound(`${operation}: there is no session "${key}". Ensure it first.`, { key })
    : new SessionNotFound(
        `${operation}: session "${key}" is deleted. Restore it, or ensure it to begin anew.`,
        { key },
      );
}

export function leaseLost(key: string): LeaseLost {
  return new LeaseLost(`Session "${key}": the lease was taken over by another holder; nothing was written.`, {
    key,
  });
}

function asStoreError(
  store: string,
  operation: string,
  key: string | undefined,
  cause: unknown,
): SessionStoreError {
  if (cause instanceof SessionStoreError) return cause;
  const of = key === undefined ? '' : ` of session "${key}"`;
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const path =
    cause instanceof Error && 'path' in cause && typeof cause.path === 'string' ? { path: cause.path } : {};
  const place = { ...(key === undefined ? {} : { key }), ...path, cause };
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') {
    return new StoreFull(
      `${operation}${of}: no room is left for the ${store} store (${why}). Make room and try again.`,
      place,
    );
  }
  return new StoreFailed(`${operation}${of} failed in the ${store} store: ${why}`, place);
}
