/** How many tokens a text is, for one model. */
export type CountTokens = (text: string) => number;

const CJK = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]|[\u{20000}-\u{3ffff}]/gu;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
/** Runs without a break, or of nothing but blanks: an exact count of them takes time that grows with their square. */
const LONG_RUN = /\S{100,}|\s{100,}/g;

/** Chinese, Japanese and Korean characters are about a token each, four of all others are one. */
export function estimateTokens(text: string): number {
  const characters = text.length - countOf(SURROGATE_PAIR, text);
  const cjk = countOf(CJK, text);
  return cjk + Math.ceil((characters - cjk) / 4);
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

type Encoding = 'o200k_base' | 'cl100k_base';

/** The vocabulary of a model, by its name with or without a provider before it; undefined where it is not known. */
export function encodingOf(modelName: string): Encoding | undefined {
  const name = modelName.slice(modelName.lastIndexOf(':') + 1).toLowerCase();
  if (/^(?:chatgpt-)?(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|o[134])(?:[-.]|$)/.test(name))
    return 'o200k_base';
  if (/^gpt-(?:4|3\.5)(?:-|$)/.test(name)) return 'cl100k_base';
  return undefined;
}

const loaded = new Map<Encoding, Promise<CountTokens>>();

/**
 * Counts exactly where the model's vocabulary is known and the optional package `gpt-tokenizer` is installed (loaded
 * at the first use, it is large), else by {@link estimateTokens}.
 */
export function tokenCounter(modelName: string): Promise<CountTokens> {
  const encoding = encodingOf(modelName);
  if (encoding === undefined) return Promise.resolve(estimateTokens);
  const known = loaded.get(encoding) ?? load(encoding);
  loaded.set(encoding, known);
  return known;
}

async function load(encoding: Encoding): Promise<CountTokens> {
  try {
    const { countTokens } =
      encoding === 'o200k_base'
        ? await import('gpt-tokenizer/encoding/o200k_base')
        : await import('gpt-tokenizer/encoding/cl100k_base');
    // What looks like a control token of the model is text here, whoever wrote it.
    const asText = { disallowedSpecial: new Set<string>() };
    return (text) => {
      let estimated = 0;
      const countable = text.replace(LONG_RUN, (run) => {
        estimated += estimateTokens(run);
        return ' ';
      });
      return estimated + countTokens(countable, asText);
    };
  } catch {
    return estimateTokens;
  }
}
