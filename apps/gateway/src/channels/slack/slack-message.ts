import { z } from 'zod';
import type { ChannelMessage, IncomingMedia } from '../channel.js';

const text = z.string();

const eventSchema = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: text.optional(),
  channel: text,
  channel_type: text.optional(),
  user: text.optional(),
  bot_id: text.optional(),
  text: text.default(''),
  ts: text,
  thread_ts: text.optional(),
  files: z
    .array(
      z.object({
        url_private: text.optional(),
        name: z.string().nullish(),
        mimetype: text.optional(),
        size: z.number().optional(),
      }),
    )
    .default([]),
});

/** What comes over HTTP, and inside an envelope of Socket Mode. */
export const slackCallbackSchema = z.object({
  type: z.literal('event_callback'),
  team_id: text.optional(),
  event: z.unknown(),
});

export interface SlackBot {
  readonly userId: string;
  readonly botId: string | undefined;
  readonly account: string | undefined;
}

/** Messages of people and bots; every other kind tells of a change to one, or of somebody who came. */
const SAID: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'bot_message', 'me_message']);

/**
 * What somebody said; undefined for edits, deletions, joins, reactions, and what the bot itself said. A mention comes
 * as two events with one timestamp: one message.
 */
export function slackMessage(
  { event: given, team_id: team }: z.output<typeof slackCallbackSchema>,
  bot: SlackBot,
): ChannelMessage | undefined {
  const event = eventSchema.safeParse(given).data;
  if (event === undefined || (event.subtype !== undefined && !SAID.has(event.subtype))) return undefined;
  const { channel, user, bot_id: botId, ts, thread_ts: threadTs } = event;
  const senderId = user ?? botId;
  if (senderId === undefined || senderId === bot.userId || (botId !== undefined && botId === bot.botId))
    return undefined;
  const media = event.files.flatMap(mediaOf);
  if (event.text === '' && media.length === 0) return undefined;
  const isDirect = event.channel_type === 'im' || channel.startsWith('D');
  // An answer in a channel opens a thread, so that the message which is answered is that thread's first.
  const thread = threadTs ?? (isDirect ? undefined : ts);
  return {
    id: `${channel}:${ts}`,
    text: plainText(event.text),
    media,
    sender: { id: senderId, name: '', isBot: botId !== undefined },
    context: {
      channel: 'slack',
      ...(bot.account === undefined ? {} : { account: bot.account }),
      chatId: channel,
      chatType: isDirect ? 'direct' : event.channel_type === 'mpim' ? 'group' : 'channel',
      ...(thread === undefined ? {} : { topicId: thread }),
      ...(team === undefined ? {} : { spaceId: team, spaceType: 'workspace' }),
      senderId,
      messageId: ts,
      ...(isDirect
        ? {}
        : { mentioned: event.type === 'app_mention' || event.text.includes(`<@${bot.userId}`) }),
    },
    address: { chat: channel, ...(thread === undefined ? {} : { thread }) },
  };
}

/** Slack escapes three signs, and puts addresses and names into angle brackets. */
function plainText(text: string): string {
  return text
    .replaceAll(/<((?:https?|mailto):[^|>]+)(?:\|([^>]*))?>/g, (_, url: string, label?: string) =>
      label === undefined || label === url ? url : `${label} (${url})`,
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function mediaOf(file: {
  readonly url_private?: string | undefined;
  readonly name?: string | null | undefined;
  readonly mimetype?: string | undefined;
  readonly size?: number | undefined;
}): IncomingMedia[] {
  const { url_private: reference, name, mimetype = '', size } = file;
  if (reference === undefined) return [];
  const kind = /^(image|audio|video)\//.exec(mimetype)?.[1] as 'image' | 'audio' | 'video' | undefined;
  return [
    {
      kind: kind ?? 'file',
      reference,
      ...(name ? { name } : {}),
      ...(mimetype === '' ? {} : { mediaType: mimetype }),
      ...(size === undefined ? {} : { bytes: size }),
    },
  ];
}
