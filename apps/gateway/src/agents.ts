import type { AgentModel, AgentSpec, Tool } from '@x/agent-runtime';
import { agentProfile } from './agent-profile.js';
import type { Configuration } from './configuration/configuration.js';
import type { Environment } from './configuration/environment.js';
import { contextWindow } from './models/context-window.js';
import { type ModelReference, modelReferenceText } from './models/model-reference.js';
import { OFFLINE_COMMANDS } from './models/offline-answer.js';
import { openModel } from './models/open-model.js';

const INSTRUCTIONS =
  'You are a helpful assistant in a chat. Answer briefly and plainly, in the language of the person.';

/** The agents that answer, each ready to run. */
export interface Agents {
  readonly list: readonly { readonly id: string; readonly isDefault: boolean }[];
  /** The models that the configuration names, by name: what a session may choose from. */
  readonly models: readonly string[];
  /**
   * The agent of this id; the default one where it is not, or no longer, configured. It answers with the model given,
   * where that is one of `models`.
   */
  get(id: string, model?: string): AgentSpec;
  has(id: string): boolean;
  /** Words behind a slash that a model understands itself, such as the offline model's. */
  commandsOf(model: string): readonly string[];
}

/** Opens every model once, before the first message. */
export async function openAgents(
  configuration: Configuration,
  environment: Environment,
  toolsOf: (agentId: string) => readonly Tool[],
  /** What every agent is told behind its instructions at each run, and nobody keeps. */
  notes: () => Promise<string>,
  permit: NonNullable<AgentSpec['permit']>,
): Promise<Agents> {
  const models = new Map<string, AgentModel>();
  const settings =
    configuration.agents.length > 0
      ? configuration.agents
      : [
          {
            id: 'main',
            isDefault: true,
            model: undefined,
            lightModel: undefined,
            fallbackModels: undefined,
            instructions: undefined,
          },
        ];

  async function model(reference: ModelReference): Promise<AgentModel> {
    const modelName = modelReferenceText(reference);
    const before = models.get(modelName);
    if (before !== undefined) return before;
    const { price, contextTokens = contextWindow(reference) } = configuration.models.known[modelName] ?? {};
    const opened: AgentModel = {
      model: await openModel(reference, configuration.providers, environment),
      modelName,
      ...(contextTokens === undefined ? {} : { windowTokens: contextTokens }),
      ...(price === undefined ? {} : { price }),
    };
    models.set(modelName, opened);
    return opened;
  }

  const defaultId = (settings.find((agent) => agent.isDefault) ?? settings[0])?.id ?? 'main';
  const specs = new Map<string, AgentSpec>();
  const { light, lightThreshold, fallbacks } = configuration.models;
  for (const { id, model: own, instructions, lightModel = light, fallbackModels = fallbacks } of settings) {
    specs.set(id, {
      id,
      system: async () => [instructions ?? INSTRUCTIONS, await notes()].filter(Boolean).join('\n\n'),
      ...(await model(own ?? configuration.model)),
      ...(lightModel === undefined ? {} : { light: await lightOf(lightModel) }),
      fallbacks: await Promise.all(fallbackModels.map(model)),
      context: configuration.context,
      ...profileOf(id, id === defaultId),
      steering: configuration.steering,
      tools: toolsOf(id),
      permit,
      stepTimeoutMs: configuration.stepTimeoutMs,
    });
  }
  function profileOf(id: string, isDefault: boolean): Pick<AgentSpec, 'prompt'> {
    const { agentProfiles } = configuration;
    return agentProfiles === undefined ? {} : { prompt: agentProfile(agentProfiles, id, isDefault) };
  }

  async function lightOf(reference: ModelReference) {
    const opened = await model(reference);
    return lightThreshold === undefined ? opened : { ...opened, threshold: lightThreshold };
  }

  const fallback = specs.get(defaultId);
  if (fallback === undefined) throw new Error('No agent is configured.');
  return {
    list: settings.map(({ id }) => ({ id, isDefault: id === defaultId })),
    models: [...models.keys()],
    get(id, modelName) {
      // Where the file lists no agents, a rule may name any: it answers under its own name, as the default does.
      const spec =
        specs.get(id) ??
        (configuration.agents.length === 0
          ? { ...fallback, id, ...profileOf(id, false), tools: toolsOf(id) }
          : fallback);
      const chosen = modelName === undefined ? undefined : models.get(modelName);
      if (modelName === undefined || chosen === undefined) return spec;
      // Who chooses a model is answered by that one, however easy the question.
      const { light: _chosenAgainst, windowTokens: _ofAnother, price: _too, ...rest } = spec;
      return { ...rest, ...chosen };
    },
    has: (id) => specs.has(id),
    commandsOf: (model) => (model === modelReferenceText({ provider: 'offline' }) ? OFFLINE_COMMANDS : []),
  };
}
