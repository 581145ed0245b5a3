import { excerpt, wellFormed } from './legal-text.js';
import type { TurnFailureCode } from './turn-outcome.js';

/** A model step that came to nothing. The message is one sentence without secrets; the cause stays for logs. */
export class ModelFailure extends Error {
  readonly code: TurnFailureCode;
  /** The same request may succeed a little later. */
  readonly isRetryable: boolean;
  /** What the provider asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status of the provider's answer, where there was one. */
  readonly status: number | undefined;

  constructor(
    code: TurnFailureCode,
    message: string,
    more: {
      isRetryable?: boolean;
      afterMs?: number | undefined;
      status?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ModelFailure';
    this.code = code;
    this.isRetryable = more.isRetryable ?? false;
    this.retryAfterMs = more.afterMs;
    this.status = more.status;
  }
}

const TIMED_OUT = /\btime(?:d)?[ -]?out\b|deadline exceeded|ETIMEDOUT/i;
/** What providers say of a request that is longer than the model's window. */
const TOO_LONG =
  /context[_ -]length[_ -]exceeded|maximum context length|exceeds? (?:the )?(?:model'?s? )?(?:maximum |available )?context (?:length|size|window)|prompt is too long|input (?:is too long|length and .{0,20}exceed)|input token count .{0,40}exceeds|too many (?:input )?tokens|string_above_max_length|model_context_window_exceeded/i;
const NETWORK = /ECONN|EPIPE|EAI_AGAIN|ENOTFOUND|socket hang up|fetch failed|network error|terminated/i;

/**
 * What a provider's error means. Judged by status and type; words only tell a broken connection from a refusal,
 * and "context deadline exceeded" is a time-out, not a full context.
 */
export function modelFailure(modelName: string, cause: unknown): ModelFailure {
  if (cause instanceof ModelFailure) return cause;
  const status = numberOf(cause, 'statusCode');
  const text = words(cause);
  const isTimeout = status === 408 || status === 504 || (status === undefined && TIMED_OUT.test(text));
  if (isTooLong(status, text, cause)) {
    const sentence = `The conversation is longer than the model ${modelName} takes. Begin a new session, or let older messages be summarised (automatic compaction).`;
    return new ModelFailure('context_exceeded', sentence, { status, cause });
  }
  const isRetryable =
    status === undefined
      ? isTimeout || NETWORK.test(text)
      : [408, 409, 429].includes(status) || status >= 500;
  const what = status === undefined ? '' : ` (HTTP ${status})`;
  const detail = excerpt(withoutSecrets(text.split('\n')[0] ?? ''), 200);
  return new ModelFailure(
    isTimeout ? 'model_timeout' : 'model_failed',
    `The model ${modelName} ${isTimeout ? 'did not answer in time' : 'failed'}${what}${detail === '' ? '.' : `: ${detail}`}`,
    { isRetryable, afterMs: retryAfterMs(cause), status, cause },
  );
}

/** The error's words and those of its cause: "fetch failed" alone says little. */
function words(error: unknown, depth = 0): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
  const cause = depth < 3 && 'cause' in error ? words(error.cause, depth + 1) : '';
  return cause === '' || message.includes(cause) ? message : `${message}: ${cause}`;
}

/** A provider may quote the key it refused, or an address with one in it. */
export function withoutSecrets(text: string): string {
  return wellFormed(text)
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .replace(/(https?:\/\/[^\s?#]+)[?#][^\s]*/gi, '$1')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(
      /\b((?:api[-_ ]?)?key|token|secret|password|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
      '$1$2…',
    )
    .replace(/\b(?:sk|pk|rk|gsk|xai|AIza|ghp|xox[a-z])[-_A-Za-z0-9*]{6,}/g, '…')
    .replace(/(?=[A-Za-z0-9_+/=-]*[0-9])(?=[A-Za-z0-9_+/=-]*[A-Za-z])[A-Za-z0-9_+/=-]{24,}/g, '…')
    .trim();
}

/** A refusal of this very request, in words that mean its length: neither a limit on requests nor a time-out. */
function isTooLong(status: number | undefined, text: string, cause: unknown): boolean {
  if (status !== undefined && ![400, 413, 422].includes(status)) return false;
  const body = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'responseBody') : undefined;
  return TOO_LONG.test(text) || (typeof body === 'string' && TOO_LONG.test(body.slice(0, 4_000)));
}

/** Seconds or a date, as HTTP has it; some providers say milliseconds beside it. */
function retryAfterMs(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('responseHeaders' in error)) return undefined;
  const headers = error.responseHeaders;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const milliseconds = waitOf(Reflect.get(headers, 'retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const said: unknown = Reflect.get(headers, 'retry-after');
  const seconds = waitOf(said);
  if (seconds !== undefined) return seconds * 1000;
  const until = typeof said === 'string' ? Date.parse(said) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

function waitOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function numberOf(error: unknown, name: string): number | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'number' ? value : undefined;
}
