import { excerpt, wellFormed } from './legal-text.js';
import type { TurnFailureCode } from './turn-outcome.js';

/** A model step that came to nothing. The message is one sentence without secrets; the cause stays for logs. */
export class ModelFailure extends Error {
  readonly code: TurnFailureCode;
  readonly isRetryable: boolean;
  /** What the provider asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: TurnFailureCode,
    message: string,
    retry: { isRetryable?: boolean; afterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: retry.cause });
    this.name = 'ModelFailure';
    this.code = code;
    this.isRetryable = retry.isRetryable ?? false;
    this.retryAfterMs = retry.afterMs;
  }
}

const TIMED_OUT = /\btime(?:d)?[ -]?out\b|deadline exceeded|ETIMEDOUT/i;
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
  const isRetryable =
    status === undefined
      ? isTimeout || NETWORK.test(text)
      : [408, 409, 429].includes(status) || status >= 500;
  const what = status === undefined ? '' : ` (HTTP ${status})`;
  const detail = excerpt(withoutSecrets(text.split('\n')[0] ?? ''), 200);
  return new ModelFailure(
    isTimeout ? 'model_timeout' : 'model_failed',
    `The model ${modelName} ${isTimeout ? 'did not answer in time' : 'failed'}${what}${detail === '' ? '.' : `: ${detail}`}`,
    { isRetryable, afterMs: retryAfterMs(cause), cause },
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

function retryAfterMs(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('responseHeaders' in error)) return undefined;
  const headers = error.responseHeaders;
  if (typeof headers !== 'object' || headers === null || !('retry-after' in headers)) return undefined;
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 30) * 1000 : undefined;
}

function numberOf(error: unknown, name: string): number | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'number' ? value : undefined;
}
