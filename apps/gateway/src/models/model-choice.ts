import type { ConfigurationProblem } from '../configuration/configuration-error.js';
import { type Environment, environmentValue } from '../configuration/environment.js';
import { type ModelReference, type Provider, parseModelReference } from './model-reference.js';

/** How one provider is reached. */
export interface ProviderSettings {
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  readonly baseUrl?: string;
}
export type ProvidersSettings = Readonly<Partial<Record<Provider, ProviderSettings>>>;

const KEY_VARIABLES: Readonly<Record<Provider, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': 'OPENAI_API_KEY',
};

/** What a key alone chooses, looked for in this order. */
const MODEL_OF_A_KEY: readonly ModelReference[] = [
  { provider: 'openai', name: 'gpt-4.1-mini' },
  { provider: 'anthropic', name: 'claude-sonnet-4-5' },
  { provider: 'google', name: 'gemini-2.5-flash' },
];

export interface ProviderAccess {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  /** The variable to set where the key is missing. */
  readonly keyVariable: string;
}

/** Key and address of a provider, the file's settings before the provider's usual variables. */
export function providerAccess(
  provider: Provider,
  settings: ProvidersSettings,
  environment: Environment,
): ProviderAccess {
  const own = settings[provider] ?? {};
  const keyVariable = own.apiKeyEnv ?? KEY_VARIABLES[provider];
  const usualUrl =
    provider === 'openai' || provider === 'openai-compatible'
      ? environmentValue(environment, 'OPENAI_BASE_URL')
      : undefined;
  return {
    apiKey: environmentValue(environment, keyVariable),
    baseUrl: own.baseUrl ?? usualUrl,
    keyVariable,
  };
}

/**
 * The model that answers by default: `HOLDFAST_MODEL`, else `models.default` of the file, else what the first API
 * key in the environment stands for, else the offline model. A bare name in `HOLDFAST_MODEL` belongs to the
 * address in `OPENAI_BASE_URL`, or to the provider whose key is set.
 */
export function chooseDefaultModel(
  fromFile: ModelReference | undefined,
  environment: Environment,
  problems: ConfigurationProblem[],
): ModelReference {
  const named = environmentValue(environment, 'HOLDFAST_MODEL');
  const address = environmentValue(environment, 'OPENAI_BASE_URL');
  const ofKey = MODEL_OF_A_KEY.find(
    ({ provider }) =>
      provider !== 'offline' && environmentValue(environment, KEY_VARIABLES[provider]) !== undefined,
  );
  if (named !== undefined) {
    const reference = parseModelReference(named) ?? bareName(named, address, ofKey);
    if (reference !== undefined) return reference;
    problems.push({
      source: 'HOLDFAST_MODEL',
      path: '',
      message: `expected offline or provider:name, got ${JSON.stringify(named)}; a bare name needs OPENAI_BASE_URL or an API key beside it`,
    });
    return { provider: 'offline' };
  }
  if (fromFile !== undefined) return fromFile;
  if (address !== undefined) {
    problems.push({
      source: 'OPENAI_BASE_URL',
      path: '',
      message: 'says where a model is but not which; set HOLDFAST_MODEL to its name',
    });
  }
  return ofKey ?? { provider: 'offline' };
}

function bareName(
  name: string,
  address: string | undefined,
  ofKey: ModelReference | undefined,
): ModelReference | undefined {
  if (address !== undefined) return { provider: 'openai-compatible', name };
  return ofKey === undefined || ofKey.provider === 'offline' ? undefined : { provider: ofKey.provider, name };
}

/** What keeps a model from being used, such as a missing key; undefined where nothing does. */
export function modelObstacle(
  reference: ModelReference,
  settings: ProvidersSettings,
  environment: Environment,
): string | undefined {
  if (reference.provider === 'offline') return undefined;
  const access = providerAccess(reference.provider, settings, environment);
  if (reference.provider === 'openai-compatible') {
    return access.baseUrl === undefined
      ? 'an openai-compatible model needs models.providers.openai-compatible.base_url, or OPENAI_BASE_URL'
      : undefined;
  }
  return access.apiKey === undefined && access.baseUrl === undefined
    ? `${reference.provider}:${reference.name} needs an API key in the environment variable ${access.keyVariable}`
    : undefined;
}
