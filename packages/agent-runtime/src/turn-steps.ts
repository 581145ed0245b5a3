import { answerStep, type StepGround } from './answer-step.js';
import { ModelFailure } from './model-failure.js';
import { askPermission, runAllowedCalls, runCalls } from './tools/call-round.js';
import { allowedCalls } from './tools/permission.js';
import type { TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';

/** Steps in a row in which no call was new. */
const FRUITLESS_STEPS = 2;

/**
 * Model, tools, and again, until an answer without calls. An answer is stored before its calls are run, a result
 * before the model sees it. Rejects with why the turn did not end well.
 */
export async function takeSteps(work: TurnWork, ground: StepGround, record: TurnRecord): Promise<void> {
  const { agent } = work.request;
  const { transcript } = ground;
  const maxSteps = agent.maxSteps ?? 20;
  const allowed = allowedCalls(transcript.history());
  if (allowed !== undefined) await runAllowedCalls(work, transcript, record, allowed);
  let fruitless = 0;
  while (record.steps < maxSteps) {
    record.steps += 1;
    await ground.context.summariseWhenDue();
    const calls = await answerStep(work, ground, record);
    if (calls.length === 0) return;
    const { held, cameToNothing } = await runCalls(work, transcript, record, calls);
    if (held.length > 0) return askPermission(work, transcript, record, held);
    fruitless = cameToNothing ? fruitless + 1 : 0;
    if (fruitless === FRUITLESS_STEPS) {
      throw new ModelFailure('step_limit', `The model ${agent.modelName} kept making the same call.`);
    }
  }
  throw new ModelFailure(
    'step_limit',
    `The model ${agent.modelName} was still calling tools after ${maxSteps} steps.`,
  );
}
