import type { JobTarget } from '@x/scheduler';
import type { SessionMeta } from '@x/session-store';
import type { ChannelHouse } from '../channels/channel-house.js';

export interface SpeakingHouse {
  readonly channels: Pick<ChannelHouse, 'say'>;
}

/**
 * Says on the platform of a chat what was said in its session. Where the target names no chat, or one of a channel that
 * is not configured, the session is all there is.
 */
export async function sayOutside(
  { channels }: SpeakingHouse,
  { channel, account, chat_id: chat, topic_id: thread }: JobTarget,
  text: string,
  name: string,
): Promise<void> {
  if (channel === undefined || chat === undefined || chat === '' || text.trim() === '') return;
  const place = { channel, ...(account === undefined ? {} : { account }) };
  const address = { chat, ...(thread === undefined ? {} : { thread }) };
  await channels.say(place, { name, address, text });
}

/** The chat of a session as a target names it, so far as its scope says: some sessions are of a person, or of all. */
export function targetOfSession(key: string, meta: SessionMeta | undefined): JobTarget {
  const { channel, account = '', values = {} } = meta?.scope ?? {};
  if (channel === undefined)
    return { session: key, ...(meta === undefined ? {} : { channel: meta.channel }) };
  const [, type, chat, topic] = /^([^:]+):([^/]*)(?:\/(.+))?$/.exec(values.chat ?? '') ?? [];
  return {
    session: key,
    channel,
    ...(account === '' || account === 'default' ? {} : { account }),
    ...(type === undefined || chat === undefined ? {} : { chat_type: type, chat_id: idOn(channel, chat) }),
    ...((topic ?? values.topic) === undefined
      ? {}
      : { topic_id: (topic ?? values.topic)?.replace(/^topic:/, '') }),
  };
}

/** Scopes fold the case of ids. Slack's have no small letters; those of the others have no great ones, or are numbers. */
function idOn(channel: string, id: string): string {
  return channel === 'slack' ? id.toUpperCase() : id;
}
