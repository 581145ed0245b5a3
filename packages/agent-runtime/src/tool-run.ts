import type { ToolCall } from '@x/session-store';
import { z } from 'zod';
import { abortable } from './abortable.js';
import type { AgentSpec, SubTurns, Tool } from './agent.js';
import { excerpt, wellFormed } from './legal-text.js';
import { withoutSecrets } from './model-failure.js';
import { parseArguments } from './tool-arguments.js';

export interface ToolResult {
  readonly text: string;
  /** Absent where the tool did what it was asked. `held`: not run, the person is asked first · `skipped`: not run, a message came first. */
  readonly status?: 'failed' | 'held' | 'skipped';
}

export interface ToolPlace {
  readonly agent: AgentSpec;
  readonly sessionKey: string;
  readonly turnId: string;
  readonly subTurns: SubTurns;
  readonly signal: AbortSignal;
}

/**
 * Runs one call. Whatever goes wrong with it is a result that the model can act on; only the end of the turn
 * itself, through the signal, rejects.
 */
export async function runToolCall(call: ToolCall, place: ToolPlace): Promise<ToolResult> {
  const { agent, signal } = place;
  const tool = agent.tools.find(({ name }) => name === call.name);
  if (tool === undefined)
    return refused(`There is no tool "${excerpt(call.name, 80)}". ${known(agent.tools)}`);
  const given = parseArguments(call.arguments);
  if (given === undefined)
    return refused(`The arguments of ${tool.name} are not a JSON object. It was not run.`);

  const timeout = new AbortController();
  const timeoutMs = tool.timeoutMs ?? agent.toolTimeoutMs ?? 300_000;
  const timer = setTimeout(() => timeout.abort(new Error(`No result after ${timeoutMs} ms.`)), timeoutMs);
  try {
    const within = AbortSignal.any([signal, timeout.signal]);
    return await abortable(judgeAndRun(tool, given, { ...place, signal: within }), within);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return refused(`${tool.name} failed: ${withoutSecrets(reason)}`);
  } finally {
    clearTimeout(timer);
  }
}

async function judgeAndRun(tool: Tool, given: unknown, place: ToolPlace): Promise<ToolResult> {
  const { agent, sessionKey, turnId, subTurns, signal } = place;
  const judged = await tool.inputSchema.safeParseAsync(given);
  if (!judged.success) {
    return refused(
      `The arguments of ${tool.name} do not fit. It was not run.\n${z.prettifyError(judged.error)}`,
    );
  }
  signal.throwIfAborted();
  const result: unknown = await tool.execute(judged.data, {
    sessionKey,
    turnId,
    tools: agent.tools,
    subTurns,
    signal,
  });
  const text = wellFormed(typeof result === 'string' ? result : (JSON.stringify(result) ?? ''));
  return { text: withinOutput(text, tool.maxOutputCharacters ?? LARGEST_OUTPUT) };
}

/** More than any model reads, and less than any store refuses. */
const LARGEST_OUTPUT = 1_000_000;

function withinOutput(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return wellFormed(
    `${text.slice(0, limit)}\n[… ${text.length - limit} more characters of this result were not kept. …]`,
  );
}

/** What a model is told of a call that was not run, or failed. */
export function refused(text: string): ToolResult {
  return { text: excerpt(wellFormed(text), 4000), status: 'failed' };
}

function known(tools: readonly Tool[]): string {
  return tools.length === 0 ? 'There are no tools.' : `Tools: ${tools.map(({ name }) => name).join(', ')}.`;
}
