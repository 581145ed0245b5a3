import { MessageTooLarge, type ToolCall } from '@x/session-store';
import { answerStep, type StepGround } from './answer-step.js';
import { ModelFailure } from './model-failure.js';
import { runToolCall, type ToolResult } from './tool-run.js';
import type { Transcript } from './transcript.js';
import { keep, type TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';

/**
 * Model, tools, and again, until an answer without calls. An answer is stored before its calls are run, a result
 * before the model sees it. Rejects with why the turn did not end well.
 */
export async function takeSteps(work: TurnWork, ground: StepGround, record: TurnRecord): Promise<void> {
  const { agent } = work.request;
  const maxSteps = agent.maxSteps ?? 20;
  while (record.steps < maxSteps) {
    record.steps += 1;
    await ground.context.summariseWhenDue();
    const calls = await answerStep(work, ground, record);
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
