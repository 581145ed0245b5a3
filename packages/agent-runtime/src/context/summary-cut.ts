import { isThought, type StoredMessage } from '@x/session-store';
import type { ContextLimits } from './context-settings.js';
import { cutPoints } from './cut-points.js';
import type { MeasureMessage } from './message-size.js';

/** What stays word for word takes at most this share of the room. */
const KEPT_SHARE = 0.3;

/**
 * Where the older part of a history ends that should now become a summary; undefined where none should. The newest
 * user message and what follows are never part of it, nor is half a chain of tool calls, nor anything from `latest` on.
 * Pure.
 */
export function summaryCut(
  history: readonly StoredMessage[],
  room: { readonly tokens: number; readonly limits: ContextLimits; readonly measure: MeasureMessage },
  {
    isForced = false,
    latest = history.length,
  }: { readonly isForced?: boolean; readonly latest?: number } = {},
): number | undefined {
  const { tokens, limits, measure } = room;
  const sizes = history.map(measure);
  const total = sum(sizes);
  const count = spoken(history);
  const isDue = count > limits.summariseAtMessages || total > tokens * limits.summariseAtShare;
  if (!isDue && !isForced) return undefined;
  const points = cutPoints(history).filter((point) => point <= latest && spoken(history.slice(0, point)) > 0);
  const small = points.find(
    (point) =>
      spoken(history.slice(point)) <= limits.keepMessages && sum(sizes.slice(point)) <= tokens * KEPT_SHARE,
  );
  return small ?? points.at(-1);
}

function spoken(messages: readonly StoredMessage[]): number {
  return messages.filter((message) => message.role !== 'system' && !isThought(message)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
