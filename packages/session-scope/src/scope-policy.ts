import type { Dimension } from './dimension.js';

/**
 * Canonical name → ids of the same person, as `telegram:123` or `123`. Names made of digits alone come first,
 * as in every JavaScript object; all others in the order written. An id in two links belongs to the first.
 */
export type IdentityLinks = Readonly<Record<string, readonly string[]>>;

/** Who shares a conversation with whom. */
export interface ScopePolicy {
  /** What separates conversations, in the order of the signature. Empty: all of an account's chats are one. */
  readonly dimensions: readonly Dimension[];
  readonly identityLinks: IdentityLinks;
  /** Channels whose ids differ by case alone. Default: none, which keeps PicoClaw's keys. */
  readonly caseSensitiveChannels?: readonly string[];
}
