import type { Message, MessageEntity, Update } from 'grammy/types';
import type { ChannelMessage, IncomingMedia } from '../channel.js';

export interface TelegramBot {
  readonly id: number;
  readonly username: string;
  readonly account: string | undefined;
}

/**
 * What a person said, of all that Telegram tells; undefined for the rest: edits (what was answered stays answered),
 * posts of channels, joins, reactions, polls, and what the bot itself said.
 */
export function telegramMessage({ message }: Update, bot: TelegramBot): ChannelMessage | undefined {
  if (message === undefined) return undefined;
  const { chat, from } = message;
  const text = message.text ?? message.caption ?? message.sticker?.emoji ?? '';
  const media = mediaOf(message);
  if (from === undefined || from.id === bot.id || (text === '' && media.length === 0)) return undefined;
  const isDirect = chat.type === 'private';
  // Only a topic of a forum is a conversation of its own; elsewhere the id says what was replied to.
  const thread = message.is_topic_message === true ? message.message_thread_id : undefined;
  const topicId = thread === undefined ? undefined : String(thread);
  const repliedTo = message.reply_to_message;
  const messageId = String(message.message_id);
  return {
    id: `${chat.id}:${messageId}`,
    text,
    media,
    sender: {
      id: String(from.id),
      name: [from.first_name, from.last_name].filter(Boolean).join(' '),
      isBot: from.is_bot,
    },
    context: {
      channel: 'telegram',
      ...(bot.account === undefined ? {} : { account: bot.account }),
      chatId: String(chat.id),
      chatType: isDirect ? 'direct' : 'group',
      ...(topicId === undefined || isDirect ? {} : { topicId }),
      senderId: String(from.id),
      messageId,
      ...(isDirect ? {} : { mentioned: isMentioned(message, bot) }),
      ...(repliedTo === undefined ? {} : { replyToMessageId: String(repliedTo.message_id) }),
    },
    address: {
      chat: String(chat.id),
      ...(topicId === undefined ? {} : { thread: topicId }),
      ...(isDirect ? {} : { replyTo: messageId }),
    },
  };
}

function isMentioned(message: Message, { id, username }: TelegramBot): boolean {
  if (message.reply_to_message?.from?.id === id) return true;
  const text = message.text ?? message.caption ?? '';
  const entities: readonly MessageEntity[] = message.entities ?? message.caption_entities ?? [];
  const name = `@${username}`.toLowerCase();
  return entities.some((entity) => {
    const words = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === 'mention') return words === name;
    if (entity.type === 'bot_command') return words.endsWith(name);
    return entity.type === 'text_mention' && entity.user.id === id;
  });
}

function mediaOf(message: Message): IncomingMedia[] {
  const photo = message.photo?.at(-1);
  const files = [
    ['image', photo === undefined ? undefined : { ...photo, mime_type: 'image/jpeg' }],
    ['image', message.sticker?.is_animated || message.sticker?.is_video ? undefined : message.sticker],
    ['audio', message.voice],
    ['audio', message.audio],
    ['video', message.video],
    ['video', message.video_note],
    // An animation comes as a document too.
    ['file', message.animation ?? message.document],
  ] as const;
  return files.flatMap(([kind, file]) => {
    if (file === undefined) return [];
    const mediaType = 'mime_type' in file ? file.mime_type : undefined;
    const name = 'file_name' in file ? file.file_name : undefined;
    const isPicture = kind === 'file' && /^image\/(?:png|jpeg|webp)$/.test(mediaType ?? '');
    return [
      {
        kind: isPicture ? 'image' : kind,
        reference: file.file_id,
        ...(name === undefined ? {} : { name }),
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(file.file_size === undefined ? {} : { bytes: file.file_size }),
      } satisfies IncomingMedia,
    ];
  });
}
