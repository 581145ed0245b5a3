import { answerStep, type StepGround } from './answer-step.js';
import { ModelFailure } from './model-failure.js';
import { askPermission, runAllowedCalls, runCalls } from './tools/call-round.js';
import { allowedCalls } from './tools/permission.js';
import type { Transcript } from './transcript.js';
import type { TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';

/** Steps in a row in which no call was new. */
const FRUITLESS_STEPS = 2;

/**
 * Model, tools, and again, until an answer without calls and nothing left that waits to join. An answer is stored
 * before its calls are run, a result before the model sees it. Messages that came meanwhile join at the beginning,
 * after the tools, after an answer and before the end. Rejects with why the turn did not end well.
 */
export async function takeSteps(work: TurnWork, ground: StepGround, record: TurnRecord): Promise<void> {
  const { agent } = work.request;
  const { transcript } = ground;
  const maxSteps = agent.maxSteps ?? 20;
  // Before anything joins: a yes is the very next thing said after the question.
  const allowed = allowedCalls(transcript.history());
  if (allowed !== undefined) await runAllowedCalls(work, transcript, record, allowed);
  await joinWaiting(work, transcript);
  let steps = 0;
  let fruitless = 0;
  for (;;) {
    if (steps === maxSteps) {
      throw new ModelFailure(
        'step_limit',
        `The model ${agent.modelName} was still calling tools after ${maxSteps} steps.`,
      );
    }
    steps += 1;
    record.steps += 1;
    work.emit({ type: 'step', number: record.steps });
    await ground.context.summariseWhenDue();
    const calls = await answerStep(work, ground, record);
    if (calls.length > 0) {
      const { held, cameToNothing } = await runCalls(work, transcript, record, calls);
      // Who has said something else meanwhile is not asked: a yes to come would not be meant for the question.
      if (held.length > 0 && !work.steering.hasPersonWaiting()) {
        return askPermission(work, transcript, record, held);
      }
      fruitless = cameToNothing ? fruitless + 1 : 0;
    }
    const hasJoined = await joinWaiting(work, transcript, calls.length === 0);
    if (hasJoined) {
      steps = 0;
      fruitless = 0;
    } else if (calls.length === 0) return;
    if (fruitless === FRUITLESS_STEPS) {
      throw new ModelFailure('step_limit', `The model ${agent.modelName} kept making the same call.`);
    }
  }
}

/** False where nothing waited; at the `end` of a turn, its queue is closed then, with nothing in between. */
async function joinWaiting(work: TurnWork, transcript: Transcript, isEnd = false): Promise<boolean> {
  const { steering, request } = work;
  for (;;) {
    work.signal.throwIfAborted();
    const joined = await steering.join(request.agent.steering ?? 'one-at-a-time', transcript);
    for (const message of joined) work.emit({ type: 'steering', phase: 'joined', message });
    if (joined.length > 0) return true;
    if (!isEnd || (await steering.closeIfEmpty())) return false;
  }
}
