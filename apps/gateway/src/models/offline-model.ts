import { setTimeout as pause } from 'node:timers/promises';
import {
  APICallError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
  type LanguageModelV3Usage,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { answerOffline, type OfflineAnswer } from './offline-answer.js';

const UNKNOWN_USAGE: LanguageModelV3Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Long enough to be seen as a stream, short enough not to be waited for. */
const WORD_PAUSE_MS = 5;

/**
 * The model that needs no account and no network: deterministic, says what it is, streams word by word, and can be
 * told to be slow or to fail (`/slow N`, `/fail`, `/fail-after N`, `/garbage`, `/silent`).
 */
export function createOfflineModel(): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'holdfast',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate() {
      throw new UnsupportedFunctionalityError({
        functionality: 'doGenerate',
        message: 'The offline model answers by streaming only.',
      });
    },
    async doStream(options) {
      const tools = new Set(options.tools?.map((tool) => tool.name));
      const answer = answerOffline(options.prompt, tools);
      if (answer.kind === 'fail') throw failure('The offline model fails, as it was asked to.');
      return { stream: streamOf(answer, options) };
    },
  };
}

function streamOf(
  answer: OfflineAnswer,
  { abortSignal, prompt }: LanguageModelV3CallOptions,
): ReadableStream<LanguageModelV3StreamPart> {
  const parts = partsOf(answer, `call_${prompt.length}`, abortSignal);
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await parts.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

async function* partsOf(
  answer: OfflineAnswer,
  callId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV3StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] };
  if (answer.kind === 'silent') await untilAborted(signal);
  if (answer.kind === 'garbage') {
    yield { type: 'text-delta', id: 'never-begun', delta: '\u0000' };
    yield JSON.parse('{"type": "no-such-part", "delta": {"text": 7}}');
    yield JSON.parse('"neither a part nor an end"');
    return;
  }
  if (answer.kind === 'call') {
    yield {
      type: 'tool-call',
      toolCallId: callId,
      toolName: answer.tool,
      input: JSON.stringify(answer.input),
    };
    yield { type: 'finish', usage: UNKNOWN_USAGE, finishReason: { unified: 'tool-calls', raw: undefined } };
    return;
  }
  if (answer.kind !== 'text') return;
  const words = answer.text.match(/\S+\s*/g) ?? [];
  const pauseMs = answer.overMs === undefined ? WORD_PAUSE_MS : answer.overMs / Math.max(words.length, 1);
  yield { type: 'text-start', id: 'answer' };
  for (const [index, word] of words.entries()) {
    if (answer.failAfterWords === index) {
      yield {
        type: 'error',
        error: failure(`The offline model fails after ${index} words, as it was asked to.`),
      };
      return;
    }
    yield { type: 'text-delta', id: 'answer', delta: word };
    await pause(pauseMs, undefined, signal === undefined ? {} : { signal });
  }
  yield { type: 'text-end', id: 'answer' };
  yield { type: 'finish', usage: UNKNOWN_USAGE, finishReason: { unified: 'stop', raw: undefined } };
}

/** A timer keeps the wait alive where nothing else would. */
async function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  await pause(2_147_483_647, undefined, signal === undefined ? {} : { signal });
}

function failure(message: string): APICallError {
  return new APICallError({ message, url: 'offline:', requestBodyValues: {}, isRetryable: false });
}
