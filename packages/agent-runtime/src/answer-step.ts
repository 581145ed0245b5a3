import type { Message, ToolCall } from '@x/session-store';
import type { AgentModel } from './agent-model.js';
import { storableCalls } from './call-names.js';
import { chainParts, type TurnContext } from './context/turn-context.js';
import { askChain, type ChainAnswer } from './model-chain.js';
import { ModelFailure } from './model-failure.js';
import type { Transcript } from './transcript.js';
import type { PartialAnswer } from './turn-journal.js';
import { keep, type TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';
import { addedUsage } from './usage.js';

export interface StepGround {
  readonly transcript: Transcript;
  readonly context: TurnContext;
  readonly models: readonly AgentModel[];
}

type Partial = PartialAnswer & { text: string };

/** How often an answer that reached the length limit is gone on with, and a refused conversation made shorter. */
const CONTINUATIONS = 2;
const RELIEFS = 2;
const GO_ON =
  '[Your answer was cut off at the length limit. Go on exactly where it stopped, and repeat nothing of it.]';
const BE_SHORTER =
  '[Your answer reached the length limit before a word of it was said. Answer again, shorter.]';

/** Asks the model once more, and stores what it answers as one message. Resolves with the calls to run. */
export async function answerStep(
  work: TurnWork,
  ground: StepGround,
  record: TurnRecord,
): Promise<readonly ToolCall[]> {
  const partial = { messageId: work.createId(), text: '' };
  record.partial = partial;
  const step = await wholeAnswer(work, ground, record, partial);
  const toolCalls = storableCalls(step.calls, work.createId);
  const { modelName } = step.model;
  if (toolCalls.length === 0 && partial.text.trim() === '') {
    const why = step.isCutOff ? 'spent its whole answer before it said a word' : 'gave an empty answer';
    throw new ModelFailure('empty_answer', `The model ${modelName} ${why}.`);
  }
  const message = {
    id: partial.messageId,
    role: 'assistant' as const,
    content: partial.text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(step.reasoning === '' ? {} : { reasoning: step.reasoning }),
    ...(step.usage === undefined ? {} : { usage: step.usage }),
    modelName,
    ...(step.isCutOff && toolCalls.length === 0 ? { meta: { cutOff: true } } : {}),
  };
  await keep(record, ground.transcript, message, work.emit);
  record.partial = undefined;
  return toolCalls;
}

/** An answer that was cut off at the length limit is gone on with: one message, whatever number of requests it took. */
async function wholeAnswer(
  work: TurnWork,
  ground: StepGround,
  record: TurnRecord,
  partial: Partial,
): Promise<ChainAnswer> {
  let { models } = ground;
  let unstored: readonly Message[] = [];
  let reasoning = '';
  let usage: ChainAnswer['usage'];
  for (let continuation = 0; ; continuation += 1) {
    const step = await askWithinWindow(work, { ...ground, models }, partial, unstored);
    record.usage = addedUsage(record.usage, step.usage);
    usage = addedUsage(usage, step.usage);
    reasoning += step.reasoning;
    const isWhole = !step.isCutOff || step.calls.length > 0 || continuation === CONTINUATIONS;
    if (isWhole) return { ...step, reasoning, usage };
    unstored =
      partial.text.trim() === ''
        ? [{ role: 'user', content: BE_SHORTER }]
        : [
            { role: 'assistant', content: partial.text },
            { role: 'user', content: GO_ON },
          ];
    // Half an answer is gone on with by the one who began it.
    if (partial.text !== '') models = [step.model];
  }
}

/** A conversation that is too long for the model is made shorter and sent again, while nothing has been shown. */
async function askWithinWindow(
  work: TurnWork,
  ground: StepGround,
  partial: Partial,
  unstored: readonly Message[],
): Promise<ChainAnswer> {
  for (let relief = 0; ; relief += 1) {
    const before = partial.text;
    try {
      return await askChain({
        ...chainParts(work),
        models: ground.models,
        tools: work.request.agent.tools,
        prompt: (model) => ground.context.prompt(model, unstored),
        onText(piece) {
          partial.text += piece;
          work.emit({ type: 'token', text: piece });
          work.journal.progress(work.turnId, { ...partial });
        },
      });
    } catch (error) {
      const isTooLong = error instanceof ModelFailure && error.code === 'context_exceeded';
      if (!isTooLong || relief === RELIEFS || partial.text !== before) throw error;
      if (!(await ground.context.relieve())) throw error;
    }
  }
}
