import type { ToolCall } from '@x/session-store';
import { jsonSchema, stepCountIs, streamText, type ToolSet, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { abortable, abortableDelay } from './abortable.js';
import type { Tool } from './agent.js';
import type { AgentModel } from './agent-model.js';
import { ModelFailure, modelFailure } from './model-failure.js';
import type { ModelPrompt } from './model-messages.js';
import { createStreamTap } from './model-stream-tap.js';
import { shownImages } from './shown-images.js';
import { type StepUsage, stepUsage } from './usage.js';

export interface ModelStepRequest {
  readonly model: AgentModel;
  readonly prompt: ModelPrompt;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Silence after which the call is given up. */
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
  /** The longest wait that a provider may ask for before a repetition; where it asks for more, the step fails at once. */
  readonly longestWaitMs: number;
  readonly onText: (piece: string) => void;
}

export interface ModelStep {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly usage: StepUsage | undefined;
  /** The answer reached the length limit: it is not whole. */
  readonly isCutOff: boolean;
}

const REPETITIONS = 2;

/**
 * Calls the model once. The library runs a single step and executes nothing: the log is ours, so that what is
 * stored and what the model sees cannot differ. A failure before the first sign of an answer is tried again
 * twice where that can help; later it is not, since part of the answer has been shown.
 * Rejects with `ModelFailure`, or with the signal's reason.
 */
export async function runModelStep(request: ModelStepRequest): Promise<ModelStep> {
  for (let repetition = 0; ; repetition += 1) {
    let hasBegun = false;
    try {
      return await callModel(request, () => {
        hasBegun = true;
      });
    } catch (error) {
      request.signal.throwIfAborted();
      const failure = modelFailure(request.model.modelName, error);
      const waitMs = failure.retryAfterMs ?? request.retryDelayMs * 2 ** repetition;
      if (hasBegun || !failure.isRetryable || repetition >= REPETITIONS) throw failure;
      if (waitMs > request.longestWaitMs) throw failure;
      await abortableDelay(waitMs, request.signal);
    }
  }
}

async function callModel(request: ModelStepRequest, onBegin: () => void): Promise<ModelStep> {
  const { prompt, timeoutMs } = request;
  const { model, modelName, price } = request.model;
  const tools = toolSet(request.tools);
  const silence = new AbortController();
  const timer = setTimeout(() => {
    const sentence = `The model ${modelName} said nothing for ${timeoutMs} ms.`;
    silence.abort(new ModelFailure('model_timeout', sentence));
  }, timeoutMs);
  const signal = AbortSignal.any([request.signal, silence.signal]);
  const tap = createStreamTap(() => timer.refresh());

  try {
    const messages = shownImages(prompt.messages, await abortable(supportedUrls(model), signal));
    const { fullStream } = streamText({
      model: wrapLanguageModel({ model, middleware: tap.middleware }),
      ...(prompt.system === '' ? {} : { system: prompt.system }),
      messages,
      tools,
      stopWhen: stepCountIs(1),
      maxRetries: 0,
      abortSignal: signal,
      // A gateway must not fetch addresses for whoever writes them in a chat.
      experimental_download: async (files) => files.map(() => null),
      // The stream reports errors too; the default prints them.
      onError: () => {},
    });
    const parts = fullStream[Symbol.asyncIterator]();
    let text = '';
    let reasoning = '';
    let usage: StepUsage | undefined;
    let isCutOff = false;
    for (;;) {
      const { done, value: part } = await abortable(parts.next(), signal);
      if (done) break;
      if (part.type === 'error') throw part.error;
      if (part.type === 'finish-step') {
        if (part.finishReason === 'error') throw new Error('The provider ended the answer with an error.');
        usage = stepUsage(part.usage, price);
        isCutOff = part.finishReason === 'length';
      }
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') continue;
      onBegin();
      if (part.type === 'reasoning-delta') {
        reasoning += part.text;
      } else if (part.text !== '') {
        text += part.text;
        request.onText(part.text);
      }
    }
    signal.throwIfAborted();
    if (!tap.hasFinished()) throw new Error('The stream broke off.');
    return { text, reasoning, calls: tap.calls, usage, isCutOff };
  } finally {
    clearTimeout(timer);
    // Lets go of a stream that is still open, whatever ended the reading of it.
    silence.abort();
  }
}

async function supportedUrls(model: AgentModel['model']): Promise<Record<string, RegExp[]>> {
  return model.supportedUrls;
}

/** Without `execute` and without a validator: running and judging calls is ours. Of two tools of one name the first counts, as where it is run. */
function toolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools
      .toReversed()
      .map((each) => [each.name, tool({ description: each.description, inputSchema: sentSchema(each) })]),
  );
}

const schemas = new WeakMap<object, ReturnType<typeof jsonSchema>>();

function sentSchema({ name, inputSchema: schema, inputJsonSchema }: Tool): ReturnType<typeof jsonSchema> {
  const source = inputJsonSchema ?? schema;
  const known = schemas.get(source);
  if (known !== undefined) return known;
  try {
    const made = jsonSchema(
      (inputJsonSchema ?? z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })) as Parameters<
        typeof jsonSchema
      >[0],
    );
    schemas.set(source, made);
    return made;
  } catch (cause) {
    const sentence = `The input schema of the tool ${name} cannot be said in JSON Schema.`;
    throw new ModelFailure('agent_failed', sentence, { cause });
  }
}
