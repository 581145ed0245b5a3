import type { InboundContext } from '@x/session-scope';

/** Whoever speaks through the page or the terminal: one person, one chat, until a session is named. */
export function surfaceContext(channel: 'web' | 'cli'): InboundContext {
  return { channel, chatType: 'direct', chatId: 'default', senderId: channel };
}
