/** What the choice of a model looks at. */
export interface Turn {
  readonly text: string;
  /** Media that came with the message, of any form. */
  readonly attachments?: readonly unknown[];
  /** The session's messages before this one, oldest first; the last six are enough if `conversationDepth` is given. */
  readonly recentMessages?: readonly RecentMessage[];
  /** How many messages the session has. Default: the number of `recentMessages`. */
  readonly conversationDepth?: number;
}

export interface RecentMessage {
  readonly role: string;
  readonly toolCalls?: readonly unknown[] | undefined;
}

/** A turn in numbers. No word of any language is looked at, so that every language is treated alike. */
export interface TurnFeatures {
  readonly tokenEstimate: number;
  /** Complete fenced code blocks. */
  readonly codeBlockCount: number;
  /** Tool calls in the last six messages. */
  readonly recentToolCalls: number;
  readonly conversationDepth: number;
  readonly hasAttachments: boolean;
}

/** About one round trip with a tool: question, call, result, answer. */
const RECENT_MESSAGES = 6;
const CJK = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]/g;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
const MEDIA_TEXT =
  /data:(?:image|audio|video)\/|\.(?:jpe?g|png|gif|webp|bmp|mp3|wav|ogg|m4a|flac|mp4|avi|mov|webm)(?![a-z0-9])/i;

/** Measures a turn. Pure. */
export function turnFeatures({
  text,
  attachments = [],
  recentMessages = [],
  conversationDepth = recentMessages.length,
}: Turn): TurnFeatures {
  return {
    tokenEstimate: estimateTokens(text),
    codeBlockCount: Math.floor((text.split('```').length - 1) / 2),
    recentToolCalls: recentMessages
      .slice(-RECENT_MESSAGES)
      .reduce((count, message) => count + (message.toolCalls?.length ?? 0), 0),
    conversationDepth,
    hasAttachments: attachments.length > 0 || MEDIA_TEXT.test(text),
  };
}

/** Chinese, Japanese and Korean characters are about a token each, four of all others are one. */
function estimateTokens(text: string): number {
  const characters = text.length - countOf(SURROGATE_PAIR, text);
  const cjk = countOf(CJK, text);
  return cjk + Math.floor((characters - cjk) / 4);
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}
