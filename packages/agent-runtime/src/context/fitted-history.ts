import { type Message, messageText } from '@x/session-store';
import { wellFormed } from '../legal-text.js';
import { type MeasureMessage, messageMeasure } from './message-size.js';
import type { CountTokens } from './token-count.js';

/** No single message takes more than this share of the room. */
const LARGEST_SHARE = 0.25;
const SMALLEST_TOKENS = 40;
const NOT_SHOWN: Message = { role: 'user', content: '[Earlier messages are not shown.]' };

export interface Room {
  readonly tokens: number;
  readonly countTokens: CountTokens;
  readonly measure: MeasureMessage;
  /** False: only single messages are shortened, none is left out. */
  readonly mayLeaveOut: boolean;
}

/**
 * The part of a history that fits into the room, for the model alone: what is stored stays whole. A giant message is
 * cut in its middle, with a note; then the oldest steps are left out, each with its results. System messages and the
 * newest user message always stay. Pure.
 */
export function fittedHistory(history: readonly Message[], room: Room): readonly Message[] {
  const { tokens, measure, mayLeaveOut } = room;
  const largest = Math.max(SMALLEST_TOKENS, Math.floor(tokens * LARGEST_SHARE));
  const total = history.reduce((sum, message) => sum + measure(message), 0);
  if (total <= tokens && history.every((message) => measure(message) <= largest)) return history;
  return mayLeaveOut ? newestThatFit(history, room, largest) : shortened(history, largest, room);
}

function shortened(history: readonly Message[], largestTokens: number, room: Room): readonly Message[] {
  return history.map((message) => shortenedMessage(message, largestTokens, room));
}

function newestThatFit(history: readonly Message[], room: Room, largest: number): readonly Message[] {
  const measure = messageMeasure(room.countTokens);
  const sizeOf = (step: readonly Message[]) => step.reduce((sum, message) => sum + measure(message), 0);
  const steps = stepsOf(shortened(history, largest, room));
  const question = steps.findLastIndex((step) => step[0]?.role === 'user');
  const isFixed = (index: number) =>
    index === question || index === steps.length - 1 || steps[index]?.[0]?.role === 'system';
  let left = room.tokens;
  steps.forEach((step, index) => {
    if (isFixed(index)) left -= sizeOf(step);
  });
  if (left < 0 && largest > SMALLEST_TOKENS) {
    return newestThatFit(history, room, Math.max(SMALLEST_TOKENS, Math.floor(largest / 2)));
  }
  const kept = new Set<number>();
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index] ?? [];
    if (isFixed(index)) continue;
    left -= sizeOf(step);
    if (left < 0) break;
    kept.add(index);
  }
  const firstLost = steps.findIndex((_step, index) => !isFixed(index) && !kept.has(index));
  return steps.flatMap((step, index) => {
    if (isFixed(index) || kept.has(index)) return step;
    return index === firstLost ? [NOT_SHOWN] : [];
  });
}

/** A message of a person, a system message, or an answer with all that follows it up to the next of these. */
function stepsOf(history: readonly Message[]): readonly (readonly Message[])[] {
  const steps: Message[][] = [];
  for (const message of history) {
    const current = steps.at(-1);
    const belongs = message.role === 'tool' && current !== undefined && current[0]?.role === 'assistant';
    if (belongs) current.push(message);
    else steps.push([message]);
  }
  return steps;
}

function shortenedMessage(message: Message, largestTokens: number, room: Room): Message {
  // System messages are the program's own; they are not touched.
  if (message.role === 'system' || room.measure(message) <= largestTokens) return message;
  const text = messageText(message);
  const tokens = room.countTokens(text);
  if (tokens <= largestTokens) return message;
  const short = shortenedText(text, Math.floor((text.length * largestTokens) / tokens));
  const others =
    typeof message.content === 'string' ? [] : message.content.filter((part) => part.url !== undefined);
  return { ...message, content: others.length === 0 ? short : [{ type: 'text', text: short }, ...others] };
}

/** Beginning and end of a text, with a note between them of how much is missing. */
export function shortenedText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.75);
  const tail = Math.floor(limit * 0.25);
  const missing = text.length - head - tail;
  return wellFormed(
    `${text.slice(0, head)}\n[… ${missing} characters are left out here; the session keeps all of them. …]\n${text.slice(text.length - tail)}`,
  );
}
