import { normaliseText } from '@x/session-scope';
import type { SessionMeta } from '@x/session-store';
import { chatKind } from '@x/session-store/policies';
import type { CommandSettings } from '../configuration/session-settings.js';

/** Who speaks, as the configuration may name them. */
export interface Speaker {
  readonly channel: string;
  readonly senderId: string | undefined;
  /** The name that identity links give them, else the id. */
  readonly name: string | undefined;
}

/**
 * Whether a person may change a conversation: their own, always; one that a group shares, where they are named in
 * `chat_commands.admins` or everybody may.
 */
export function mayChange(session: SessionMeta, speaker: Speaker, settings: CommandSettings): boolean {
  if (!isShared(session) || settings.isOpenToGroups) return true;
  const { channel, senderId, name } = speaker;
  const known = [name, ...(senderId === undefined ? [] : [`${channel}:${senderId}`])];
  return known.some((each) => each !== undefined && settings.admins.includes(normaliseText(each)));
}

/** Several people speak in a group's session, unless each of them has one there. */
function isShared(session: SessionMeta): boolean {
  return chatKind(session) !== 'direct' && session.scope?.dimensions.includes('sender') !== true;
}
