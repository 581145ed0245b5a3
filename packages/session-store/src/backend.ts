import type { Message, Role, StoredMessage } from './message.js';
import type { SessionFacts, SessionMeta } from './session-meta.js';

/**
 * The contract of every session store. A key is any non-empty string of at most 1,024 characters and never a
 * path; names that are not keys go through `resolve` first. Every promise resolves once the change is as safe
 * as `capabilities` says, and rejects with a `SessionStoreError`; a rejected write has changed nothing, and a
 * crash leaves the state before or the state after. Calls for one key take effect in the order they were made.
 * Writes to a session that is missing or deleted reject with `SessionNotFound`; reads of it are empty.
 * Each promise is proven in `@x/session-store/conformance`.
 */
export interface SessionBackend {
  readonly name: string;
  readonly capabilities: Capabilities;

  /** Stores all or none, with contiguous seqs. A message whose id is in the session already keeps its old seq. Wakes an archived session. */
  append(key: string, messages: readonly Message[], guard?: WriteGuard): Promise<readonly Appended[]>;
  /** In seq order; the cost is that of what is returned, not of what is stored. */
  read(key: string, range?: ReadRange): Promise<readonly StoredMessage[]>;
  meta(key: string): Promise<SessionMeta | undefined>;

  /** Creates or merges. A deleted session begins anew: what was deleted stays in its bin. */
  ensure(key: string, facts?: SessionFacts, guard?: WriteGuard): Promise<Ensured>;
  /** The key that a key, alias or older name leads to. Main aliases lead to the main session only. */
  resolve(candidate: string): Promise<string | undefined>;
  /** Moves the first of these that is a session with content into this one while it is still empty. Main sessions move nowhere but home. */
  promote(key: string, aliases: readonly string[], guard?: WriteGuard): Promise<Promotion | undefined>;

  setSummary(key: string, summary: string, guard?: WriteGuard): Promise<SessionMeta>;
  /** Makes the active segment these messages. The unchanged ones at its beginning keep their seqs; earlier segments are not touched. */
  replace(key: string, messages: readonly Message[], guard?: WriteGuard): Promise<readonly Appended[]>;
  /** Moves the cutoff forward, and sets the summary of what it hides in the same step. Deletes nothing. */
  truncate(key: string, cut: Cut, guard?: WriteGuard): Promise<SessionMeta>;
  /** Closes the segment: cutoff to the end, summary and counters to nothing. Deletes nothing. */
  reset(key: string, options?: ResetOptions, guard?: WriteGuard): Promise<SessionMeta>;
  /** Physically removes what lies up to the cutoff. */
  compact(key: string, guard?: WriteGuard): Promise<{ readonly removed: number }>;
  /** Removes all messages, segments and the summary; the session, its names and its seq counter stay. */
  clear(key: string, guard?: WriteGuard): Promise<SessionMeta>;

  /** Newest activity first; the cursor of a page gives the next one, whatever is written meanwhile. */
  list(query?: ListQuery, cursor?: string): Promise<SessionPage>;
  rename(key: string, title: string): Promise<SessionMeta>;
  archive(key: string): Promise<SessionMeta>;
  unarchive(key: string): Promise<SessionMeta>;
  /** Hides the session everywhere but in `list({deleted: true})`, until it is restored or purged. */
  delete(key: string): Promise<void>;
  restore(key: string): Promise<SessionMeta>;
  /** Destroys what is deleted: the session, or what lies in its bin. `SessionNotFound` where nothing is deleted. */
  purge(key: string): Promise<void>;
  /** `Unsupported` where `capabilities.search` is false. */
  search(text: string, query?: SearchQuery, cursor?: string): Promise<SearchPage>;

  /** Every session, ordered by key, each followed by all its messages. A copy of a copy exports the same. */
  export(): AsyncIterable<ExportEntry>;
  /**
   * Takes what `export` gave. What is there already and equal is passed over, so that a broken run can be repeated; a
   * session that differs, or was changed since, is left as it is: `AliasConflict`.
   */
  import(entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>): Promise<ImportReport>;

  /** The right to run the session's turns; undefined while another holder has it. Given in a guard, it fences writes (`LeaseLost`). */
  lease(key: string, request: LeaseRequest): Promise<Lease | undefined>;
  /** Waits for what is under way; then every call rejects with `StoreClosed`. Closing again does nothing. */
  close(): Promise<void>;
}

export interface Capabilities {
  /** What was acknowledged survives the death of the process, and with `power` a power cut too. */
  readonly durable: false | 'process' | 'power';
  readonly sharing: 'one-process' | 'many-processes';
  readonly search: boolean;
  /** A larger message, as JSON in UTF-8, is refused with `MessageTooLarge`. */
  readonly maxMessageBytes: number;
}

export type WriteGuard = { readonly lease?: Lease };
export type Appended = { readonly id: string; readonly seq: number; readonly appended: boolean };
export type ReadRange = {
  /** Default `active`: after the cutoff. */
  readonly segment?: 'active' | 'all';
  /** Seqs, both exclusive. */
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  /** Default `asc`. With a limit, `desc` gives the newest. */
  readonly order?: 'asc' | 'desc';
};
export type RefusedAlias = {
  readonly alias: string;
  readonly owner: string | undefined;
  readonly reason: 'taken' | 'main';
};
export type Ensured = {
  readonly meta: SessionMeta;
  readonly created: boolean;
  readonly refused: readonly RefusedAlias[];
};
export type Promotion = { readonly from: string; readonly messages: number };
export type Cut = ({ readonly keepLast: number } | { readonly throughSeq: number }) & {
  readonly summary?: string;
};
export type ResetOptions = {
  readonly reason?: string;
  readonly summary?: string;
  readonly keepLast?: number;
};
export type ListQuery = {
  readonly channel?: string;
  readonly agentId?: string;
  /** Default `exclude`; `include` with `deleted`. */
  readonly archived?: 'exclude' | 'include' | 'only';
  /** Only what is deleted, wholly or in part; by default none of it. */
  readonly deleted?: boolean;
  /** Part of the title, in any case. */
  readonly text?: string;
  /** Default 50, at most 1,000. */
  readonly limit?: number;
};
export type SessionPage = { readonly sessions: readonly SessionMeta[]; readonly nextCursor?: string };
export type SearchQuery = {
  readonly key?: string;
  readonly channel?: string;
  readonly agentId?: string;
  readonly role?: Role;
  readonly segment?: 'active' | 'all';
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
};
export type SearchHit = { readonly key: string; readonly message: StoredMessage; readonly snippet: string };
export type SearchPage = { readonly hits: readonly SearchHit[]; readonly nextCursor?: string };
export type ExportEntry =
  | { readonly type: 'session'; readonly session: SessionMeta }
  | { readonly type: 'message'; readonly key: string; readonly message: StoredMessage };
export type ImportReport = {
  readonly sessions: number;
  readonly messages: number;
  readonly skippedMessages: number;
  readonly refused: readonly (RefusedAlias & { readonly key: string })[];
};
export type LeaseRequest = { readonly holder: string; readonly ttlMs: number };
export interface Lease {
  readonly key: string;
  /** Rises with every grant. */
  readonly token: number;
  /** Rejects with `LeaseLost` where another has taken it. */
  renew(): Promise<void>;
  release(): Promise<void>;
}
