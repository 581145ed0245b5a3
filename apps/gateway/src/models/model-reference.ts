import { z } from 'zod';

export const PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A model by name: the built-in offline one, or one of a provider. */
export type ModelReference =
  | { readonly provider: 'offline' }
  | { readonly provider: Provider; readonly name: string };

/** `offline`, or `provider:name`, the name exactly as the provider spells it. */
export function parseModelReference(text: string): ModelReference | undefined {
  const trimmed = text.trim();
  if (trimmed === 'offline') return { provider: 'offline' };
  const colon = trimmed.indexOf(':');
  const provider = PROVIDERS.find((known) => known === trimmed.slice(0, Math.max(colon, 0)));
  const name = trimmed.slice(colon + 1).trim();
  return provider === undefined || name === '' ? undefined : { provider, name };
}

export function modelReferenceText(reference: ModelReference): string {
  return reference.provider === 'offline' ? 'offline' : `${reference.provider}:${reference.name}`;
}

export const modelReferenceSchema = z.string().refine((text) => parseModelReference(text) !== undefined, {
  error: ({ input }) =>
    `expected offline or provider:name, the provider one of ${PROVIDERS.join(', ')}, got ${JSON.stringify(input)}`,
});
