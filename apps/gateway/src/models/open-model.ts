import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Environment } from '../configuration/environment.js';
import { type ProvidersSettings, providerAccess } from './model-choice.js';
import type { ModelReference } from './model-reference.js';
import { createOfflineModel } from './offline-model.js';

/** The model behind a reference. A provider's library is loaded only where it is used: it costs start-up time. */
export async function openModel(
  reference: ModelReference,
  settings: ProvidersSettings,
  environment: Environment,
): Promise<LanguageModelV3> {
  if (reference.provider === 'offline') return createOfflineModel();
  const { apiKey, baseUrl, keyVariable } = providerAccess(reference.provider, settings, environment);
  const access = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  };
  switch (reference.provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI({ apiKey: '', ...access });
      // What stands behind another address speaks the older interface for certain, the newer one perhaps.
      return baseUrl === undefined ? provider(reference.name) : provider.chat(reference.name);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: '', ...access })(reference.name);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ apiKey: '', ...access })(reference.name);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      if (baseUrl === undefined) throw new Error(`No address is known for ${keyVariable}'s provider.`);
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: baseUrl,
        includeUsage: true,
        ...(apiKey === undefined ? {} : { apiKey }),
      })(reference.name);
    }
  }
}
