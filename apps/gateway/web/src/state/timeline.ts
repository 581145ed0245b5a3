import type { Message, MessagePage } from '../api/shapes.js';

/** The stored messages of one session that this page holds: a run without gaps that reaches to the newest. */
export interface Timeline {
  /** Ascending by seq, each seq once. */
  readonly messages: readonly Message[];
  /** True while the session has messages older than the first one here. */
  readonly hasOlder: boolean;
  /** Messages before this seq no longer reach the model. */
  readonly firstActiveSeq: number;
}

export const emptyTimeline: Timeline = { messages: [], hasOlder: false, firstActiveSeq: 0 };

export function newestSeq(timeline: Timeline): number {
  return timeline.messages.at(-1)?.seq ?? 0;
}

export function oldestSeq(timeline: Timeline): number | undefined {
  return timeline.messages[0]?.seq;
}

/** Takes one message in at its place; a message of the same seq is replaced. */
export function withMessage(timeline: Timeline, message: Message): Timeline {
  const { messages } = timeline;
  if (message.seq > newestSeq(timeline)) return { ...timeline, messages: [...messages, message] };
  const at = messages.findIndex((known) => known.seq >= message.seq);
  const replaced = messages[at]?.seq === message.seq ? 1 : 0;
  return { ...timeline, messages: messages.toSpliced(at, replaced, message) };
}

/** True where messages that this page has not seen may lie between the newest one here and `message`. */
export function leavesGap(timeline: Timeline, message: Message): boolean {
  return message.seq > newestSeq(timeline) + 1;
}

/** Takes in the page that ends before the oldest message here. */
export function withOlderPage(timeline: Timeline, page: MessagePage): Timeline {
  const oldest = oldestSeq(timeline) ?? Number.POSITIVE_INFINITY;
  const older = page.messages.filter((message) => message.seq < oldest);
  return {
    messages: [...older, ...timeline.messages],
    hasOlder: page.has_more,
    firstActiveSeq: Math.max(page.first_active_seq, timeline.firstActiveSeq),
  };
}

/**
 * Takes in the newest page, as fetched on opening or after a lost connection. Where the page does not reach back
 * to what is known, what is known is let go: a gap would look like a conversation that never happened.
 * What came in live while the page was on its way stays.
 */
export function withNewestPage(timeline: Timeline, page: MessagePage): Timeline {
  const first = page.messages[0]?.seq;
  const last = page.messages.at(-1)?.seq ?? 0;
  const newer = timeline.messages.filter((message) => message.seq > last);
  const reaches = page.has_more && first !== undefined && first <= newestSeq(timeline);
  const older = reaches ? timeline.messages.filter((message) => message.seq < first) : [];
  return {
    messages: [...older, ...page.messages, ...newer],
    hasOlder: older.length > 0 ? timeline.hasOlder : page.has_more,
    firstActiveSeq: page.first_active_seq,
  };
}
