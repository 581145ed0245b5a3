import type { Tool } from './agent.js';
import type { AgentModel } from './agent-model.js';
import type { CoolDowns } from './cool-downs.js';
import { ModelFailure } from './model-failure.js';
import type { ModelPrompt } from './model-messages.js';
import { type ModelStep, runModelStep } from './model-step.js';

export interface ChainRequest {
  /** In the order in which they are tried. */
  readonly models: readonly AgentModel[];
  /** What a model is asked: their windows differ. */
  readonly prompt: (model: AgentModel) => Promise<ModelPrompt>;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
  readonly coolDowns: CoolDowns;
  readonly onText: (piece: string) => void;
  /** A model failed, and the next is asked in its place. */
  readonly onFallback: (next: AgentModel, failure: ModelFailure) => void;
}

export interface ChainAnswer extends ModelStep {
  /** The one that answered. */
  readonly model: AgentModel;
}

const LONGEST_WAIT_MS = 60_000;
/** Where another model stands by, nobody waits longer than this. */
const LONGEST_WAIT_BEFORE_FALLBACK_MS = 5_000;

/**
 * Asks the first model that is not resting; where it fails before it showed a word, the next. A model that failed
 * rests; where all do, they are asked all the same. A request too long, or an agent's own fault, is nobody else's to
 * answer. Rejects with the last failure, or with the signal's reason.
 */
export async function askChain(request: ChainRequest): Promise<ChainAnswer> {
  const { coolDowns } = request;
  const awake = request.models.filter(({ modelName }) => !coolDowns.isResting(modelName));
  const models = awake.length === 0 ? request.models : awake;
  for (const [index, model] of models.entries()) {
    const next = models[index + 1];
    let hasShown = false;
    try {
      const step = await runModelStep({
        ...request,
        model,
        prompt: await request.prompt(model),
        longestWaitMs: next === undefined ? LONGEST_WAIT_MS : LONGEST_WAIT_BEFORE_FALLBACK_MS,
        onText(piece) {
          hasShown = true;
          request.onText(piece);
        },
      });
      return { ...step, model };
    } catch (error) {
      if (!(error instanceof ModelFailure) || !isOfTheModel(error)) throw error;
      coolDowns.rest(model.modelName, error);
      if (next === undefined || hasShown) throw error;
      request.onFallback(next, error);
    }
  }
  throw new ModelFailure('model_failed', 'The agent has no model.');
}

function isOfTheModel(failure: ModelFailure): boolean {
  return failure.code === 'model_failed' || failure.code === 'model_timeout';
}
