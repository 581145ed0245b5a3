import type { LanguageModelV3Middleware, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ToolCall } from '@x/session-store';

/** What one model stream said beside its text. */
export interface StreamTap {
  readonly middleware: LanguageModelV3Middleware;
  /** The calls in the order and the wording of the model, to be judged by us and not by a parser in between. */
  readonly calls: readonly ToolCall[];
  /** False for a stream that broke off: what it said may be half a sentence. */
  hasFinished(): boolean;
}

const PASSED_ON = new Set([
  ...['response-metadata', 'finish', 'error'],
  ...['text-start', 'text-delta', 'text-end', 'reasoning-start', 'reasoning-delta', 'reasoning-end'],
]);

/**
 * Listens between provider and library. Tool calls are taken out here, since a parser changes what it parses;
 * parts of kinds unknown are passed over, and what is no part at all breaks the stream.
 */
export function createStreamTap(onPart: () => void): StreamTap {
  const calls: ToolCall[] = [];
  let hasFinished = false;

  function hear(part: unknown, pass: (part: LanguageModelV3StreamPart) => void): void {
    onPart();
    if (!isPart(part)) throw new TypeError('The stream carried something that is no event.');
    if (part.type === 'tool-call' && part.providerExecuted !== true) {
      calls.push({ id: textOf(part.toolCallId), name: textOf(part.toolName), arguments: textOf(part.input) });
    }
    if (part.type === 'finish') hasFinished = true;
    // The library prints warnings to the console, which belongs to the program around it.
    if (part.type === 'stream-start') pass({ ...part, warnings: [] });
    else if (PASSED_ON.has(part.type)) pass(part);
  }

  return {
    calls,
    hasFinished: () => hasFinished,
    middleware: {
      specificationVersion: 'v3',
      async wrapStream({ doStream }) {
        const result = await doStream();
        onPart();
        const tap = new TransformStream<unknown, LanguageModelV3StreamPart>({
          transform: (part, controller) => hear(part, (passed) => controller.enqueue(passed)),
        });
        return { ...result, stream: result.stream.pipeThrough(tap) };
      },
    },
  };
}

function isPart(part: unknown): part is LanguageModelV3StreamPart {
  if (typeof part !== 'object' || part === null || !('type' in part) || typeof part.type !== 'string')
    return false;
  const isDelta = part.type === 'text-delta' || part.type === 'reasoning-delta';
  return !isDelta || ('delta' in part && typeof part.delta === 'string');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
