import type { Dimension } from './dimension.js';
import type { IdentityLinks } from './identity-links.js';

/** Who shares a conversation with whom. */
export interface ScopePolicy {
  /** What separates conversations, in the order of the signature. Empty: all of an account's chats are one. */
  readonly dimensions: readonly Dimension[];
  readonly identityLinks: IdentityLinks;
  /** Channels whose ids differ by case alone. Default: none, which keeps PicoClaw's keys. */
  readonly caseSensitiveChannels?: readonly string[];
}
