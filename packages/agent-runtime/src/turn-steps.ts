import { MessageTooLarge, type ToolCall } from '@x/session-store';
import { storableCalls } from './call-names.js';
import { ModelFailure } from './model-failure.js';
import { modelMessages } from './model-messages.js';
import { runModelStep } from './model-step.js';
import { runToolCall, type ToolResult } from './tool-run.js';
import type { Transcript } from './transcript.js';
import { addUsage, keep, type TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';

export interface TurnGround {
  readonly transcript: Transcript;
  readonly system: string;
  readonly summary: string;
}

/**
 * Model, tools, and again, until an answer without calls. An answer is stored before its calls are run, a result
 * before the model sees it. Rejects with why the turn did not end well.
 */
export async function takeSteps(work: TurnWork, ground: TurnGround, record: TurnRecord): Promise<void> {
  const { agent } = work.request;
  const maxSteps = agent.maxSteps ?? 20;
  while (record.steps < maxSteps) {
    record.steps += 1;
    const calls = await askModel(work, ground, record);
    if (calls.length === 0) return;
    for (const call of calls) {
      work.signal.throwIfAborted();
      await answerCall(work, ground.transcript, record, call);
    }
    work.signal.throwIfAborted();
  }
  throw new ModelFailure(
    'step_limit',
    `The model ${agent.modelName} was still calling tools after ${maxSteps} steps.`,
  );
}

async function askModel(
  work: TurnWork,
  ground: TurnGround,
  record: TurnRecord,
): Promise<readonly ToolCall[]> {
  const { agent } = work.request;
  const partial = { messageId: work.createId(), text: '' };
  record.partial = partial;
  const step = await runModelStep({
    agent,
    signal: work.signal,
    retryDelayMs: work.retryDelayMs,
    prompt: modelMessages(ground.system, ground.summary, ground.transcript.history()),
    onText(piece) {
      partial.text += piece;
      work.emit({ type: 'token', text: piece });
      work.journal.progress(work.turnId, { ...partial });
    },
  });
  addUsage(record, step.usage);
  const toolCalls = storableCalls(step.calls, work.createId);
  if (toolCalls.length === 0 && step.text.trim() === '') {
    throw new ModelFailure('empty_answer', `The model ${agent.modelName} gave an empty answer.`);
  }
  const message = {
    id: partial.messageId,
    role: 'assistant' as const,
    content: step.text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(step.reasoning === '' ? {} : { reasoning: step.reasoning }),
    ...(step.usage === undefined ? {} : { usage: step.usage }),
    modelName: agent.modelName,
  };
  await keep(record, ground.transcript, message, work.emit);
  record.partial = undefined;
  return toolCalls;
}

async function answerCall(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  call: ToolCall,
): Promise<void> {
  const { id, name } = call;
  const { session, agent } = work.request;
  work.emit({ type: 'tool', phase: 'start', id, name, arguments: call.arguments });
  const place = { agent, sessionKey: session.sessionKey, turnId: work.turnId, signal: work.signal };
  let result = await runToolCall(call, place);
  try {
    await keep(record, transcript, resultMessage(call, result), work.emit);
  } catch (error) {
    if (!(error instanceof MessageTooLarge)) throw error;
    result = { text: `${name} ran, but its result is too large to be stored.`, failed: true };
    await keep(record, transcript, resultMessage(call, result), work.emit);
  }
  work.emit({ type: 'tool', phase: result.failed ? 'failed' : 'end', id, name, result: result.text });
}

function resultMessage(call: ToolCall, result: ToolResult) {
  return {
    role: 'tool' as const,
    content: result.text,
    toolCallId: call.id,
    toolName: call.name,
    ...(result.failed ? { meta: { status: 'failed' } } : {}),
  };
}
