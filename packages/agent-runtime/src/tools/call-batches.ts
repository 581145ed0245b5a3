import type { ToolCall } from '@x/session-store';
import type { Tool } from '../agent.js';

/** Calls that run at the same time, at most. */
const LARGEST_BATCH = 8;

/**
 * The calls of one step in the order they are run: neighbours whose tools say that they may run beside others share
 * a batch, every other call is alone. Pure.
 */
export function callBatches(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
): readonly (readonly ToolCall[])[] {
  const isSafe = ({ name }: ToolCall) => tools.find((tool) => tool.name === name)?.runsBesideOthers === true;
  const batches: ToolCall[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    const joins = last?.[0] !== undefined && last.length < LARGEST_BATCH && isSafe(call) && isSafe(last[0]);
    if (joins) last.push(call);
    else batches.push([call]);
  }
  return batches;
}
