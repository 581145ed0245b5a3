import type { TurnSession } from '@x/agent-runtime';
import { type InboundContext, normaliseText, type SessionAllocation, trimSpace } from '@x/session-scope';
import type { SessionBackend } from '@x/session-store';

/**
 * PicoBot's session of a chat, `<channel>:<chat id>`, where it lies in this store: the chat goes on in it, so that
 * PicoBot still finds it there. Only where a chat is one session for us as it is for PicoBot, and nothing was said yet
 * in the one that would be ours; a session of that name in another channel is somebody else's.
 */
export async function picobotSession(
  backend: SessionBackend,
  context: InboundContext,
  { sessionKey, scope }: SessionAllocation,
): Promise<TurnSession | undefined> {
  const chatId = trimSpace(context.chatId ?? '');
  const isWholeChat = scope.dimensions.join() === 'chat' && scope.values.chat?.includes('/') !== true;
  if (chatId === '' || !isWholeChat) return undefined;
  const meta = await backend.meta(`${normaliseText(context.channel)}:${chatId}`);
  if (meta === undefined || meta.deletedAt !== undefined || meta.channel !== scope.channel) return undefined;
  const ours = await backend.meta(sessionKey);
  return ours !== undefined && ours.lastSeq > 0 ? undefined : { sessionKey: meta.key };
}
