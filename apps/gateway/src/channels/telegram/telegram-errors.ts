import { GrammyError, HttpError } from 'grammy';
import { ChannelError } from '../channel.js';

/** No connection was made, so that nothing was said. */
const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);

/** What went wrong at Telegram. The library's own errors may hold the address, and with it the token. */
export function telegramError(error: unknown): ChannelError {
  if (error instanceof GrammyError) {
    const { error_code: status, description, parameters } = error;
    if (status === 429) {
      const retryAfterMs = (parameters.retry_after ?? 1) * 1000;
      return new ChannelError('rate_limited', `Telegram asks to wait: ${description}`, { retryAfterMs });
    }
    if (/message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i.test(description)) {
      return new ChannelError('gone', description);
    }
    return new ChannelError(
      status >= 500 ? 'unknown' : 'refused',
      `Telegram answered ${status}: ${description}`,
    );
  }
  if (error instanceof HttpError) {
    const cause = error.error;
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
    return NEVER_ARRIVED.has(code)
      ? new ChannelError('unreachable', `Telegram cannot be reached (${code}).`)
      : new ChannelError(
          'unknown',
          `The connection to Telegram broke (${code === '' ? 'no answer' : code}).`,
        );
  }
  if (error instanceof ChannelError) return error;
  return new ChannelError('unknown', 'Telegram could not be asked.', { cause: error });
}

/** True where the words do not change: that is what was wanted. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof GrammyError && error.description.includes('message is not modified');
}

/** True where our HTML is not to Telegram's liking; the bare words are. */
export function isMarkupRefused(error: unknown): boolean {
  return error instanceof GrammyError && /can't parse entities/i.test(error.description);
}
