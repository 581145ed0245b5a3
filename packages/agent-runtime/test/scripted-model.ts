import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { assertLegal } from './legal-prompt.js';

/** One answer of the model: text, calls, both, an error before the stream, or any events at all. */
export type ScriptedAnswer =
  | Spoken
  | { readonly refuse: unknown }
  | ((options: LanguageModelV3CallOptions) => AsyncIterable<unknown>);

type Spoken = string | { readonly text?: string; readonly calls: readonly ScriptedCall[] };

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments?: string;
}

export interface ScriptedModel extends LanguageModelV3 {
  /** Every prompt it was called with; each was judged as a strict provider would. */
  readonly prompts: readonly LanguageModelV3Prompt[];
  /** What such a provider would have refused: the turn shows it as a failure like any other. */
  readonly illegal: readonly unknown[];
}

/** Answers by a list, the last of which is repeated, or by a function of the prompt. */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((prompt: LanguageModelV3Prompt, call: number) => ScriptedAnswer),
): ScriptedModel {
  const prompts: LanguageModelV3Prompt[] = [];
  const illegal: unknown[] = [];
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    prompts,
    illegal,
    doGenerate: () => Promise.reject(new Error('The runtime streams.')),
    async doStream(options) {
      try {
        assertLegal(options.prompt);
      } catch (error) {
        illegal.push(error);
        throw error;
      }
      const place = prompts.push(options.prompt) - 1;
      const answer =
        typeof script === 'function' ? script(options.prompt, place) : (script[place] ?? script.at(-1));
      if (answer === undefined) throw new Error('The script is empty.');
      if (typeof answer === 'object' && 'refuse' in answer) throw answer.refuse;
      const events = typeof answer === 'function' ? answer(options) : said(answer);
      return { stream: ReadableStream.from(events) as never };
    },
  };
}

async function* said(answer: Spoken): AsyncGenerator {
  const { text = '', calls } = typeof answer === 'string' ? { text: answer, calls: [] } : answer;
  yield* words(text);
  for (const call of calls) {
    yield { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments ?? '{}' };
  }
  yield finish(calls.length === 0 ? 'stop' : 'tool-calls');
}

/** Text as a provider streams it, without an end. */
export async function* words(text: string): AsyncGenerator {
  yield { type: 'stream-start', warnings: [] };
  if (text === '') return;
  yield { type: 'text-start', id: '1' };
  for (const delta of text.split(/(?<= )/)) yield { type: 'text-delta', id: '1', delta };
  yield { type: 'text-end', id: '1' };
}

export function finish(reason: 'stop' | 'tool-calls' | 'error' | 'length' = 'stop') {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
  };
}

/** Some words, and then silence for ever, whatever the signal says. */
export function wordsThenSilence(text: string) {
  return async function* (): AsyncGenerator {
    yield* words(text);
    await new Promise(() => {});
  };
}

/** The text of the last user message of a prompt. */
export function lastUserText(prompt: LanguageModelV3Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** All that the person and the results of a prompt say, and its system text. */
export function promptText(prompt: LanguageModelV3Prompt): string {
  return JSON.stringify(prompt);
}

/** Words, and then the end at the length limit. */
export function cutOff(text: string) {
  return async function* (): AsyncGenerator {
    yield* words(text);
    yield finish('length');
  };
}

/** What a provider says of a conversation that is longer than its window. */
export function tooLong(): ScriptedAnswer {
  const error = new Error("This model's maximum context length is 8192 tokens.");
  return { refuse: Object.assign(error, { statusCode: 400 }) };
}
