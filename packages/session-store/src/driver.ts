import type { Capabilities, ListQuery, SearchPage, SearchQuery } from './backend.js';
import type { StoredMessage } from './message.js';
import type { SessionMeta } from './session-meta.js';

/**
 * What the author of a backend writes; `defineBackend` makes the whole contract of it. Arguments are valid, and
 * two calls never overlap for one session or one alias within a process. Whatever is thrown reaches the caller as a
 * `SessionStoreError`, with the session named and the cause kept.
 */
export interface SessionDriver {
  readonly name: string;
  readonly capabilities: Capabilities;

  /**
   * The one way to write: look up what `need` names, hand it to `decide`, and store the changes that it returns,
   * all of them or none, safely before resolving. `decide` is pure and quick and may be called again; when it
   * throws, nothing is stored and its error is passed on. No changes: nothing to store.
   */
  transact(need: Need, decide: (found: Found) => readonly Change[]): Promise<void>;

  /** The session's record, deleted or not. */
  load(key: string): Promise<SessionMeta | undefined>;
  /** Messages with `after < seq < before`, ordered by seq, at most `limit`; empty for an unknown session. */
  scan(key: string, range: ScanRange): Promise<readonly StoredMessage[]>;
  /** The key that owns a claimed alias, or that a name of an older format leads to. */
  owner(alias: string): Promise<string | undefined>;
  /**
   * Only where names can be told at once: `resolve` then waits for nothing. The same answers as `load` and `owner` give;
   * where it throws, those are asked.
   */
  readonly names?: SessionNames;
  /**
   * The next `limit` records of the query after a place in the order. `pageOf` does it for a driver that has all
   * records at hand; others must not visit them all.
   */
  page(query: PageQuery, after?: PagePlace): Promise<readonly SessionMeta[]>;

  /** Only with `capabilities.search`. */
  search?(
    text: string,
    query: SearchQuery & { readonly limit: number },
    cursor?: string,
  ): Promise<SearchPage>;
  /** Only with `sharing: 'many-processes'`: leases that the shared store itself judges. */
  readonly leases?: LeaseDriver;
  close(): Promise<void>;
}

export interface SessionNames {
  find(name: string): FoundName;
}

export interface FoundName {
  /** Whether it is the key of a session that is there and not deleted. */
  readonly isLive: boolean;
  /** Where it is an alias of such a session: that one's key. */
  readonly owner: string | undefined;
}

export interface Need {
  readonly keys: readonly string[];
  readonly aliases: readonly string[];
  /** Message ids to look for in the first of `keys`. */
  readonly messageIds: readonly string[];
  /** The lease this write stands on: where the stored token of the key differs, throw `LeaseLost`. Only with `leases`. */
  readonly fence?: { readonly key: string; readonly token: number };
}

export interface Found {
  readonly sessions: ReadonlyMap<string, SessionMeta>;
  readonly owners: ReadonlyMap<string, string>;
  /** Ids that are there, with their seqs. */
  readonly seqs: ReadonlyMap<string, number>;
}

/** What happens to one session; the parts apply in the order written here. */
export type Change =
  | {
      readonly key: string;
      /** Take over all messages of that session, seqs as they are; it and its record are gone, its aliases free. */
      readonly adopt?: string;
      /** Remove the messages with `seq <= dropThrough`. */
      readonly dropThrough?: number;
      /** Remove the messages with `seq > dropAfter`. */
      readonly dropAfter?: number;
      readonly append?: readonly StoredMessage[];
      /** The record afterwards, whole. */
      readonly meta: SessionMeta;
      /** True where `meta` differs from before only in what follows from `append` (`afterAppend`): a store whose history is the truth may write it later. */
      readonly derived?: boolean;
      /** Aliases that now belong to this session. Not taken by another: it was looked up. */
      readonly claim?: readonly string[];
    }
  /** The session is gone with all its messages, its aliases are free. */
  | { readonly key: string; readonly remove: true };

export interface ScanRange {
  readonly after: number;
  /** `Number.MAX_SAFE_INTEGER` for no bound; `limit` likewise. */
  readonly before: number;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export type PageQuery = Required<Pick<ListQuery, 'archived' | 'limit'>> &
  Pick<ListQuery, 'channel' | 'agentId' | 'text'> & {
    /** `only`: deleted as a whole or in part (`deletedAt` or `bin`). `exclude`: not those with `deletedAt`. */
    readonly deleted: 'exclude' | 'include' | 'only';
    /** `activity`: newest `activeAt` first, equal times by key ascending. `key`: ascending by UTF-16 code unit. */
    readonly order: 'activity' | 'key';
  };
export type PagePlace = { readonly activeAt: string; readonly key: string };

export interface LeaseDriver {
  /** A token higher than any given for this key before; undefined while another holder's lease runs. */
  grant(key: string, holder: string, ttlMs: number): Promise<number | undefined>;
  /** False where the token is no longer the one in force. */
  renew(key: string, token: number, ttlMs: number): Promise<boolean>;
  release(key: string, token: number): Promise<void>;
}
