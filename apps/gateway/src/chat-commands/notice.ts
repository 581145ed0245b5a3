import { type Message, messageOrigin, messageText } from '@x/session-store';

/*
 * A command and its answer stand in the session as one message that no model is shown: an assistant message without
 * words, which the contract calls a thought, with both of them in its `meta`. So they are in the timeline, in exports
 * and on every store, and count as nobody's words.
 */

export interface Notice {
  /** As it was written. */
  readonly command: string;
  readonly answer: string;
  /** What was said to the agent with the same message. */
  readonly firstWords?: string | undefined;
  /** The segment that it stands in is closed by it. */
  readonly closesSegment: boolean;
}

export function noticeMessage(id: string, notice: Notice): Message & { readonly id: string } {
  const { command, answer, firstWords, closesSegment } = notice;
  return {
    id,
    role: 'assistant',
    content: '',
    meta: {
      origin: 'command',
      command,
      notice: answer,
      ...(firstWords !== undefined && { firstWords }),
      ...(closesSegment && { closesSegment }),
    },
  };
}

/** The answer that a notice carries; undefined for any other message. */
export function noticeText(message: Message): string | undefined {
  const notice = message.meta?.notice;
  return messageOrigin(message) === 'command' && typeof notice === 'string' ? notice : undefined;
}

/** What a person is shown of a message: of a notice, the command as well. */
export function shownText(message: Message): string {
  const notice = noticeText(message);
  return notice === undefined ? messageText(message) : `> ${message.meta?.command}\n\n${notice}`;
}
