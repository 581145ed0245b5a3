import { chooseModel } from '@x/routing';
import { isThought, type StoredMessage } from '@x/session-store';
import type { AgentSpec } from './agent.js';
import type { AgentModel } from './agent-model.js';
import { messageMeasure } from './context/message-size.js';
import { estimateTokens } from './context/token-count.js';
import type { TurnInput } from './turn.js';

export interface TurnModels {
  /** In the order in which they are tried. */
  readonly models: readonly AgentModel[];
  /** Why this one comes first; undefined where there was nothing to choose. */
  readonly reason: string | undefined;
}

/** The models of a turn: the light or the agent's own first, by what the turn asks for, then those that stand by. Pure. */
export function turnModels(
  agent: AgentSpec,
  input: TurnInput,
  history: readonly StoredMessage[],
): TurnModels {
  const standBy = [agent, ...(agent.fallbacks ?? [])];
  if (agent.light === undefined) return { models: distinct(standBy), reason: undefined };
  const before = history.filter((message) => message.role !== 'system' && !isThought(message)).slice(0, -1);
  const { model, score, reasons } = chooseModel({
    text: input.text,
    attachments: input.media ?? [],
    recentMessages: before,
    threshold: agent.light.threshold,
  });
  const isTooSmall = model === 'light' && !fits(agent.light, history);
  if (isTooSmall)
    return { models: distinct(standBy), reason: 'primary: the session is too long for the light model' };
  const why = `${model}: scored ${score.toFixed(2)}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`;
  return { models: distinct(model === 'light' ? [agent.light, ...standBy] : standBy), reason: why };
}

/** Leaves room for the instructions, the tools and the answer. */
const HISTORY_SHARE = 0.5;

function fits({ windowTokens }: AgentModel, history: readonly StoredMessage[]): boolean {
  if (windowTokens === undefined) return true;
  const measure = messageMeasure(estimateTokens);
  return history.reduce((sum, message) => sum + measure(message), 0) <= windowTokens * HISTORY_SHARE;
}

function distinct(models: readonly AgentModel[]): readonly AgentModel[] {
  return models.filter(
    ({ modelName }, index) => models.findIndex((other) => other.modelName === modelName) === index,
  );
}
