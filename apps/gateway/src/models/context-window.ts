import type { ModelReference } from './model-reference.js';

/** What providers say of their models. Whatever is not here is taken for the usual 128,000; a refusal teaches better. */
const WINDOWS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-5/, 400_000],
  [/^o[134](?:-|$)/, 200_000],
  [/^gpt-4o/, 128_000],
  [/^gpt-4-turbo/, 128_000],
  [/^gpt-4(?:-|$)/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_048_576],
];

/** The window of a model of a known provider, in tokens; undefined where it depends on who runs it. */
export function contextWindow(reference: ModelReference): number | undefined {
  if (reference.provider === 'offline' || reference.provider === 'openai-compatible') return undefined;
  return WINDOWS.find(([name]) => name.test(reference.name))?.[1];
}
