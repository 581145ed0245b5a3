import type { Message, TurnState } from '../api/shapes.js';
import type { LiveTurn } from './live-turns.js';
import type { Outgoing } from './outbox.js';
import type { Timeline } from './timeline.js';

/** One line of the conversation as it is shown. `key` stays the same as long as the row means the same. */
export type Row =
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** For a message that called tools: their results by call id, as far as there are any. */
      readonly results: ReadonlyMap<string, Message>;
      /** The first message of its day. */
      readonly startsDay: boolean;
      /** The first message after a segment ended, or after the cutoff. */
      readonly startsSegment: boolean;
    }
  | { readonly kind: 'outgoing'; readonly key: string; readonly outgoing: Outgoing }
  | { readonly kind: 'live'; readonly key: string; readonly turn: LiveTurn | undefined }
  | {
      readonly kind: 'note';
      readonly key: string;
      readonly note: 'interrupted' | 'failed';
      readonly text: string;
    };

const noResults: ReadonlyMap<string, Message> = new Map();

/** The rows of what is stored. A tool's result is shown with its call, not as a row of its own. */
export function storedRows(timeline: Timeline, segmentEnds: readonly number[]): Row[] {
  const { messages, hasOlder, firstActiveSeq } = timeline;
  const results = new Map<string, Message>();
  const called = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool' && message.tool_call_id !== undefined)
      results.set(message.tool_call_id, message);
    for (const call of message.tool_calls ?? []) called.add(call.id);
  }
  const boundaries = [...segmentEnds.map((seq) => seq + 1), firstActiveSeq];
  const rows: Row[] = [];
  let previous: Message | undefined;
  for (const message of messages) {
    if (message.role === 'tool' && message.tool_call_id !== undefined && called.has(message.tool_call_id)) {
      continue;
    }
    const before = previous;
    rows.push({
      kind: 'message',
      key: message.id,
      message,
      results: message.tool_calls ? results : noResults,
      startsDay: before ? dayOf(before) !== dayOf(message) : !hasOlder,
      startsSegment: before !== undefined && boundaries.some((seq) => before.seq < seq && message.seq >= seq),
    });
    previous = message;
  }
  return rows;
}

/** The rows below what is stored: messages on their way, the answer being written, or how the turn ended. */
export function pendingRows(state: {
  timeline: Timeline;
  outgoing: readonly Outgoing[];
  turn: TurnState;
  live: LiveTurn | undefined;
  failure: { afterSeq: number; sentence: string } | undefined;
}): Row[] {
  const { timeline, outgoing, turn, live, failure } = state;
  const stored = new Set(timeline.messages.slice(-100).map((message) => message.id));
  const waiting = outgoing.filter(({ id }) => !stored.has(id));
  const last = timeline.messages.at(-1);
  const rows: Row[] = [];
  if (live || turn === 'running') {
    rows.push({ kind: 'live', key: `live:${last?.seq ?? 0}`, turn: live });
  } else if (turn === 'interrupted' && last && last.meta?.status === undefined) {
    rows.push({
      kind: 'note',
      key: `interrupted:${last.seq}`,
      note: 'interrupted',
      text: 'The gateway stopped before this was answered to the end. Nothing you wrote is lost: write on to continue.',
    });
  } else if (failure && last?.seq === failure.afterSeq && last.meta?.status === undefined) {
    rows.push({ kind: 'note', key: `failed:${last.seq}`, note: 'failed', text: failure.sentence });
  }
  for (const message of waiting) rows.push({ kind: 'outgoing', key: message.id, outgoing: message });
  return rows;
}

function dayOf(message: Message): string {
  return new Date(message.created_at).toDateString();
}
