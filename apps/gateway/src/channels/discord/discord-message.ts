import type { Attachment, Message } from 'discord.js';
import type { ChannelMessage, IncomingMedia } from '../channel.js';

/**
 * What somebody said; undefined for what the platform itself says (joins, pins, boosts) and for what the bot says. A
 * thread is a channel of its own at Discord: here it is a topic of the channel in which it was opened.
 */
export function discordMessage(
  message: Message,
  botId: string,
  account: string | undefined,
): ChannelMessage | undefined {
  const { channel, author, guildId } = message;
  if (message.system || author.id === botId) return undefined;
  const media = [...message.attachments.values()].map(mediaOf);
  const text = message.content;
  if (text === '' && media.length === 0) return undefined;
  const isDirect = channel.isDMBased();
  const thread = channel.isThread() ? channel.id : undefined;
  const chat = (channel.isThread() ? channel.parentId : undefined) ?? channel.id;
  const repliedTo = message.reference?.messageId;
  return {
    id: `${message.channelId}:${message.id}`,
    text,
    media,
    sender: { id: author.id, name: author.globalName ?? author.username, isBot: author.bot },
    context: {
      channel: 'discord',
      ...(account === undefined ? {} : { account }),
      chatId: chat,
      chatType: isDirect ? 'direct' : 'channel',
      ...(thread === undefined ? {} : { topicId: thread }),
      ...(guildId === null ? {} : { spaceId: guildId, spaceType: 'guild' }),
      senderId: author.id,
      messageId: message.id,
      ...(isDirect
        ? {}
        : { mentioned: message.mentions.users.has(botId) || message.mentions.repliedUser?.id === botId }),
      ...(repliedTo === undefined ? {} : { replyToMessageId: repliedTo }),
    },
    address: {
      chat,
      ...(thread === undefined ? {} : { thread }),
      ...(isDirect ? {} : { replyTo: message.id }),
    },
  };
}

function mediaOf({ url, name, contentType, size }: Attachment): IncomingMedia {
  const kind = /^(image|audio|video)\//.exec(contentType ?? '')?.[1] as
    | 'image'
    | 'audio'
    | 'video'
    | undefined;
  return {
    kind: kind ?? 'file',
    reference: url,
    name,
    ...(contentType === null ? {} : { mediaType: contentType }),
    bytes: size,
  };
}
