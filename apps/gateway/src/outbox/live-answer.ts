import { setTimeout as pause } from 'node:timers/promises';
import type { Turn } from '@x/agent-runtime';
import { type Channel, ChannelError, type ReplyAddress } from '../channels/channel.js';
import { chunkMarkdown } from '../channels/chunk-markdown.js';

export interface LiveAnswerOptions {
  readonly channel: Channel;
  readonly address: ReplyAddress;
  /** Shows the words while they come, in a message that is edited; otherwise only that somebody writes. */
  readonly isStreamed: boolean;
  /** The message in which an earlier try was shown. */
  readonly draft: string | undefined;
  readonly key: string;
  /** Keeps the id of the message, so that the final words take its place even after a restart. */
  readonly keepDraft: (id: string) => Promise<void>;
}

/** Words are worth a message of their own once there are so many, or a pause shows that no more come soon. */
const FIRST_LENGTH = 24;

/**
 * Shows an answer while it is made, until the turn ends. Gives the id of the message in which it was shown. What fails
 * here is of no account: the final words go through the outbox.
 */
export async function showLive(turn: Turn, options: LiveAnswerOptions): Promise<string | undefined> {
  const { channel, address } = options;
  const ended = new AbortController();
  let words = '';
  const typing = keepTyping(channel, address, ended.signal);
  const editing =
    options.isStreamed && channel.traits.edits
      ? keepEditing(options, () => words, ended.signal)
      : Promise.resolve(options.draft);
  for await (const event of turn.events) {
    if (event.type === 'token') words += event.text;
    // The words of the next step take the place of those before a tool.
    if (event.type === 'message' && event.message.role === 'tool') words = '';
  }
  ended.abort();
  await typing;
  return editing;
}

async function keepTyping(channel: Channel, address: ReplyAddress, ended: AbortSignal): Promise<void> {
  const { typingMs } = channel.traits;
  while (typingMs > 0 && !ended.aborted) {
    await channel.showTyping(address).catch(() => {});
    await rest(typingMs * 0.8, ended);
  }
}

async function keepEditing(
  options: LiveAnswerOptions,
  words: () => string,
  ended: AbortSignal,
): Promise<string | undefined> {
  const { channel, address, key, keepDraft } = options;
  let { draft } = options;
  let shown = '';
  while (!ended.aborted) {
    await rest(channel.traits.editIntervalMs, ended);
    const text = chunkMarkdown(words(), channel.traits.textLimit - 2)[0] ?? '';
    const isWorth = draft === undefined ? text.length >= FIRST_LENGTH : text !== shown;
    if (ended.aborted || text === '' || !isWorth) continue;
    try {
      if (draft === undefined) {
        draft = await channel.send({ address, text: `${text} …`, media: [], key });
        await keepDraft(draft);
      } else await channel.edit(address, draft, `${text} …`);
      shown = text;
    } catch (error) {
      // Nothing more is shown, but what was shown is still taken over by the final words.
      if (!(error instanceof ChannelError) || error.code !== 'rate_limited') return draft;
      await rest(error.retryAfterMs, ended);
    }
  }
  return draft;
}

async function rest(ms: number, ended: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: ended }).catch(() => {});
}
