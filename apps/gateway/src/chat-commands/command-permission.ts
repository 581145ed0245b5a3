import { normaliseText } from '@x/session-scope';
import type { SessionMeta } from '@x/session-store';
import { chatKind } from '@x/session-store/policies';
import type { CommandSettings } from '../configuration/session-settings.js';

/** Who speaks, as the configuration may name them, and where. */
export interface Speaker {
  readonly channel: string;
  readonly senderId: string | undefined;
  /** The name that identity links give them, else the id. */
  readonly name: string | undefined;
  readonly isInGroup: boolean;
}

/**
 * Whether a person may change a conversation: their own, always; one that others share, where they are named in
 * `chat_commands.admins` or everybody may.
 */
export function mayChange(session: SessionMeta, speaker: Speaker, settings: CommandSettings): boolean {
  if (settings.isOpenToGroups || !isShared(session, speaker)) return true;
  const { channel, senderId, name } = speaker;
  const known = [name, ...(senderId === undefined ? [] : [`${channel}:${senderId}`])];
  return known.some((each) => each !== undefined && settings.admins.includes(normaliseText(each)));
}

/** What a group speaks into is shared, whatever session it is bound to, but for one that is the speaker's own there. */
function isShared(session: SessionMeta, { name, isInGroup }: Speaker): boolean {
  const { scope } = session;
  if (scope?.values.sender !== undefined && scope.values.sender === name) return false;
  if (isInGroup) return true;
  // Without a chat of its own a session spans the chats of many.
  return scope === undefined ? chatKind(session) !== 'direct' : !scope.values.chat?.startsWith('direct:');
}
