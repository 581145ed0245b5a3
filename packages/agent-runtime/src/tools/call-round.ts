import { MessageTooLarge, type ToolCall } from '@x/session-store';
import { parseArguments } from '../tool-arguments.js';
import { refused, runToolCall, type ToolResult } from '../tool-run.js';
import type { Transcript } from '../transcript.js';
import { keep, type TurnRecord } from '../turn-record.js';
import type { TurnWork } from '../turn-work.js';
import { callBatches } from './call-batches.js';
import { callRefusal } from './call-limits.js';
import {
  allowedAttributes,
  alwaysAllowed,
  type HeldCalls,
  type Permission,
  type PermissionRequest,
  permissionQuestion,
} from './permission.js';

export interface CallRound {
  /** Calls that wait for the person's word. */
  readonly held: readonly ToolCall[];
  /** True where none was run, each for being one too many. */
  readonly cameToNothing: boolean;
}

type Verdict =
  | { readonly run: true }
  | { readonly run: false; readonly result: ToolResult; readonly isHeld: boolean };

const SKIPPED_RESULT = 'Skipped: the person said something meanwhile. It was not run.';
const HELD_RESULT = 'Not run yet: the person is being asked for permission.';

/**
 * Runs the calls of one answer: side by side where their tools allow it, else in order. Each result is stored as it
 * comes, and every call has one, run or not. Rejects only as the turn itself ends.
 */
export async function runCalls(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  calls: readonly ToolCall[],
  isAllowed = false,
): Promise<CallRound> {
  const earlier = record.messages.slice(0, -1);
  const held: ToolCall[] = [];
  let tooMany = 0;

  async function judge(call: ToolCall): Promise<Verdict> {
    const refusal = callRefusal(call, calls.indexOf(call), earlier);
    if (refusal !== undefined) {
      tooMany += 1;
      return { run: false, result: refused(refusal), isHeld: false };
    }
    return isAllowed ? { run: true } : permitted(work, call);
  }

  async function answer(call: ToolCall): Promise<void> {
    const verdict = await judge(call);
    if (verdict.run) return runAndStore(work, transcript, record, call);
    if (verdict.isHeld) held.push(call);
    await storeResult(work, transcript, record, call, verdict.result);
  }

  for (const batch of callBatches(calls, work.request.agent.tools)) {
    work.signal.throwIfAborted();
    if (work.steering.hasPersonWaiting()) {
      const skipped = { text: SKIPPED_RESULT, status: 'skipped' } as const;
      for (const call of batch) await storeResult(work, transcript, record, call, skipped);
      continue;
    }
    // All of them end before the turn goes on or fails: none is left to store a result behind its back.
    const ends = await work.stopping.letFinish(() => Promise.allSettled(batch.map(answer)));
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
  }
  work.signal.throwIfAborted();
  return { held, cameToNothing: calls.length > 0 && tooMany === calls.length };
}

async function permitted(work: TurnWork, call: ToolCall): Promise<Verdict> {
  const { agent, session } = work.request;
  const input = parseArguments(call.arguments);
  const isKnown = agent.tools.some(({ name }) => name === call.name);
  // What cannot be run needs no permission: the model is told what is wrong with it.
  if (agent.permit === undefined || !isKnown || input === undefined) return { run: true };
  const permission = await permissionOf(work, call, input);
  if (permission === 'allow') return { run: true };
  if (permission === 'deny') {
    return {
      run: false,
      result: refused(`${call.name} is not allowed here. It was not run.`),
      isHeld: false,
    };
  }
  const meta = await work.backend.meta(session.sessionKey);
  if (alwaysAllowed(meta?.attributes ?? {}).includes(call.name)) return { run: true };
  return { run: false, result: { text: HELD_RESULT, status: 'held' }, isHeld: true };
}

/** A hook that fails allows nothing. */
async function permissionOf(
  work: TurnWork,
  call: ToolCall,
  input: PermissionRequest['input'],
): Promise<Permission> {
  const { agent, session } = work.request;
  const { sessionKey } = session;
  try {
    return (await agent.permit?.({ tool: call.name, input, sessionKey })) ?? 'allow';
  } catch (error) {
    work.logger.warn(
      { sessionKey, turnId: work.turnId, tool: call.name, error },
      'A permission hook failed.',
    );
    return 'deny';
  }
}

async function runAndStore(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  call: ToolCall,
): Promise<void> {
  const { id, name } = call;
  const { session, agent } = work.request;
  work.emit({ type: 'tool', phase: 'start', id, name, arguments: call.arguments });
  const place = {
    agent,
    sessionKey: session.sessionKey,
    turnId: work.turnId,
    subTurns: work.subTurns,
    signal: work.signal,
  };
  await storeResult(work, transcript, record, call, await runToolCall(call, place));
}

async function storeResult(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  call: ToolCall,
  result: ToolResult,
): Promise<void> {
  const { id, name } = call;
  let stored = result;
  try {
    await keep(record, transcript, resultMessage(call, stored), work.emit);
  } catch (error) {
    if (!(error instanceof MessageTooLarge)) throw error;
    stored = refused(`${name} ran, but its result is too large to be stored.`);
    await keep(record, transcript, resultMessage(call, stored), work.emit);
  }
  const { status } = stored;
  const phase = status === undefined ? 'end' : status === 'skipped' ? 'skipped' : 'failed';
  work.emit({ type: 'tool', phase, id, name, result: stored.text });
}

function resultMessage(call: ToolCall, { text, status }: ToolResult) {
  return {
    role: 'tool' as const,
    content: text,
    toolCallId: call.id,
    toolName: call.name,
    ...(status === undefined ? {} : { meta: { status } }),
  };
}

/** Ends a turn with the question whether the held calls may run. The next message of the person answers it. */
export async function askPermission(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  held: readonly ToolCall[],
): Promise<void> {
  const question = permissionQuestion(held);
  work.emit({ type: 'token', text: String(question.content) });
  await keep(record, transcript, question, work.emit);
}

/** Runs what the person has just allowed: the very calls that they were shown. */
export async function runAllowedCalls(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  { calls, answer }: HeldCalls,
): Promise<void> {
  const { sessionKey } = work.request.session;
  if (answer === 'always') {
    const meta = await work.backend.meta(sessionKey);
    const names = [...alwaysAllowed(meta?.attributes ?? {}), ...calls.map(({ name }) => name)];
    await work.backend.ensure(sessionKey, { attributes: allowedAttributes(names) });
  }
  const toolCalls = calls.map((call) => ({ ...call, id: `call_${work.createId()}` }));
  const message = { role: 'assistant' as const, content: '', toolCalls, meta: { origin: 'permission' } };
  await keep(record, transcript, message, work.emit);
  await runCalls(work, transcript, record, toolCalls, true);
}
