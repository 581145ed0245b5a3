import type { ContextSettings, ModelPrice } from '@x/agent-runtime';
import { z } from 'zod';
import { modelObstacle, type ProvidersSettings } from '../models/model-choice.js';
import {
  type ModelReference,
  modelReferenceSchema,
  modelReferenceText,
  parseModelReference,
} from '../models/model-reference.js';
import type { ConfigurationProblem } from './configuration-error.js';
import type { Environment } from './environment.js';

const PRICE = z.number().min(0);

/** What stands in `models` beside the default model and the providers. */
export const modelBlockFields = {
  light: modelReferenceSchema
    .optional()
    .describe('A cheaper model, which answers turns that ask for little.'),
  light_threshold: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe('Turns that score at least this much are for the default model. Default 0.35.'),
  fallbacks: z
    .array(modelReferenceSchema)
    .max(10)
    .optional()
    .describe('Models that are asked, in this order, where one fails.'),
  known: z
    .record(
      modelReferenceSchema,
      z.strictObject({
        context_tokens: z
          .int()
          .min(1_000)
          .optional()
          .describe('What the model takes, question and answer together.'),
        price: z
          .strictObject({
            input_per_million: PRICE,
            output_per_million: PRICE,
            cached_input_per_million: PRICE.optional(),
          })
          .optional()
          .describe('For a million tokens, in a currency of your choice.'),
      }),
    )
    .optional()
    .describe('What is known of a model, by its name.'),
};

/** The block `context`: how much of a session a model is shown. */
export const contextSchema = z.strictObject({
  automatic: z
    .boolean()
    .optional()
    .describe('False: nothing is summarised or left out by itself. Default true.'),
  summarise_at_messages: z.int().min(4).max(400).optional().describe('Default 100.'),
  summarise_at_share: z.number().gt(0).max(1).optional().describe('Of the window. Default 0.75.'),
  keep_messages: z
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe('Newest messages that stay word for word. Default 20.'),
});

/** The fields of an agent that choose its models. */
export const agentModelFields = {
  light_model: modelReferenceSchema.optional().describe('In place of models.light, for this agent.'),
  fallback_models: z.array(modelReferenceSchema).max(10).optional().describe('In place of models.fallbacks.'),
};

export interface KnownModel {
  readonly contextTokens?: number;
  readonly price?: ModelPrice;
}

/** Which models stand beside the one that answers by default, and what is known of each. */
export interface ModelSettings {
  readonly light: ModelReference | undefined;
  readonly lightThreshold: number | undefined;
  readonly fallbacks: readonly ModelReference[];
  readonly known: Readonly<Record<string, KnownModel>>;
}

const blockSchema = z.object(modelBlockFields);

export function modelSettingsOf(
  block: z.infer<typeof blockSchema> | undefined,
  check: (reference: ModelReference, path: string) => void,
): ModelSettings {
  const { light, light_threshold: lightThreshold, fallbacks = [], known = {} } = block ?? {};
  const settings: ModelSettings = {
    light: light === undefined ? undefined : parseModelReference(light),
    lightThreshold,
    fallbacks: referencesOf(fallbacks),
    known: Object.fromEntries(
      Object.entries(known).flatMap(([name, { context_tokens: contextTokens, price }]) => {
        const reference = parseModelReference(name);
        if (reference === undefined) return [];
        const fields: KnownModel = {
          ...(contextTokens === undefined ? {} : { contextTokens }),
          ...(price === undefined ? {} : { price: priceOf(price) }),
        };
        return [[modelReferenceText(reference), fields]];
      }),
    ),
  };
  if (settings.light !== undefined) check(settings.light, 'models.light');
  for (const [index, reference] of settings.fallbacks.entries())
    check(reference, `models.fallbacks[${index}]`);
  return settings;
}

function priceOf(price: {
  input_per_million: number;
  output_per_million: number;
  cached_input_per_million?: number | undefined;
}): ModelPrice {
  const cached = price.cached_input_per_million;
  return {
    inputPerMillion: price.input_per_million,
    outputPerMillion: price.output_per_million,
    ...(cached === undefined ? {} : { cachedInputPerMillion: cached }),
  };
}

export function referencesOf(names: readonly string[]): readonly ModelReference[] {
  return names.flatMap((name) => parseModelReference(name) ?? []);
}

/** Says where a model cannot be reached, as a problem of the configuration. */
export function modelCheck(
  source: string,
  providers: ProvidersSettings,
  environment: Environment,
  problems: ConfigurationProblem[],
): (reference: ModelReference, path: string) => void {
  return (reference, path) => {
    const message = modelObstacle(reference, providers, environment);
    if (message !== undefined) problems.push({ source, path, message });
  };
}

export function contextSettingsOf(block: z.infer<typeof contextSchema> = {}): ContextSettings {
  const { automatic, summarise_at_messages, summarise_at_share, keep_messages } = block;
  return {
    ...(automatic === undefined ? {} : { automatic }),
    ...(summarise_at_messages === undefined ? {} : { summariseAtMessages: summarise_at_messages }),
    ...(summarise_at_share === undefined ? {} : { summariseAtShare: summarise_at_share }),
    ...(keep_messages === undefined ? {} : { keepMessages: keep_messages }),
  };
}
