import type { SessionScope } from '@x/session-scope';
import type { JsonValue } from './message.js';

/** A stretch of conversation that a reset has closed. Its messages stay readable. */
export interface Segment {
  /** The last seq that belongs to it. */
  readonly lastSeq: number;
  readonly endedAt: string;
  readonly reason?: string;
  /** The summary that was in force when it ended. */
  readonly summary?: string;
}

/**
 * What was deleted of a session that has been spoken to again since: hidden until it is restored or purged.
 * The messages are still the session's own, up to `throughSeq`.
 */
export interface Bin {
  readonly throughSeq: number;
  /** Messages in it. */
  readonly count: number;
  readonly deletedAt: string;
  readonly title?: string;
  readonly segments: readonly Segment[];
  readonly attributes: { readonly [name: string]: JsonValue };
}

/** What a store knows of a session beside its messages. Times are ISO 8601 in UTC with milliseconds. */
export interface SessionMeta {
  readonly key: string;
  readonly agentId: string;
  readonly channel: string;
  readonly title?: string;
  readonly scope?: SessionScope;
  /**
   * Names recorded for this session, in the order claimed. `resolve` alone judges where a name leads: a main
   * alias (`agent:<id>:main`), which PicoClaw lists in every session, always leads to the main session.
   */
  readonly aliases: readonly string[];
  /** Empty where there is none. */
  readonly summary: string;
  readonly createdAt: string;
  /** The last change of any kind. */
  readonly updatedAt: string;
  /** The last message stored, or the creation: what lists are ordered by. */
  readonly activeAt: string;
  /** The last message of a person (`messageOrigin` is `person`). */
  readonly interactionAt?: string;
  /** When the first message of the active segment was stored. */
  readonly segmentStartedAt?: string;
  readonly archivedAt?: string;
  readonly deletedAt?: string;
  readonly bin?: Bin;
  /** Messages stored, those in the bin not counted. */
  readonly messageCount: number;
  /** Messages after the cutoff: what a model may still see. */
  readonly activeCount: number;
  /** The highest seq ever given in this session; 0 before the first. */
  readonly lastSeq: number;
  /** Messages up to this seq no longer reach the model. */
  readonly cutoff: number;
  /** `user` messages since the last reset or clear. */
  readonly userTurns: number;
  /** How often the agent prompt was injected again since the last reset or clear. */
  readonly promptInjections: number;
  /** Closed segments, oldest first. */
  readonly segments: readonly Segment[];
  /** What the layers above keep with a session (model override, pinned …). */
  readonly attributes: { readonly [name: string]: JsonValue };
  /** Rises with every change: by the number of messages on an append, by 1 otherwise. */
  readonly revision: number;
}

/** What a caller knows of a session when it ensures it. */
export interface SessionFacts {
  readonly scope?: SessionScope;
  readonly aliases?: readonly string[];
  /** Taken only while the session has no title. */
  readonly title?: string;
  /** Default: the scope's, else what the key tells, else `main`. */
  readonly agentId?: string;
  /** Default: the scope's, else what the key tells, else `unknown`. */
  readonly channel?: string;
  /** Merged into what is there; `null` removes a name. */
  readonly attributes?: { readonly [name: string]: JsonValue };
}
