import { isThought, type Message, messageText } from '@x/session-store';
import type { CountTokens } from './token-count.js';

/** Roles and separators around a message, as the providers count them. */
const FRAME_TOKENS = 4;
/** A picture of a chat is some hundred to some thousand tokens; this errs on the safe side. */
const PICTURE_TOKENS = 1_000;

/** Tokens that a message takes in a request; thoughts are not sent. */
export type MeasureMessage = (message: Message) => number;

/** Remembers what it has measured: a history is measured before each step, and grows by a message or two. */
export function messageMeasure(countTokens: CountTokens): MeasureMessage {
  const known = new WeakMap<Message, number>();
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const size = isThought(message) ? 0 : sizeOf(message, countTokens);
    known.set(message, size);
    return size;
  };
}

function sizeOf(message: Message, countTokens: CountTokens): number {
  const calls = message.toolCalls ?? [];
  const inContent =
    typeof message.content === 'string' ? [] : message.content.filter(({ url }) => url !== undefined);
  const media = (message.media?.length ?? 0) + inContent.length;
  return (
    FRAME_TOKENS +
    countTokens(messageText(message)) +
    media * PICTURE_TOKENS +
    calls.reduce((sum, call) => sum + FRAME_TOKENS + countTokens(call.name) + countTokens(call.arguments), 0)
  );
}
