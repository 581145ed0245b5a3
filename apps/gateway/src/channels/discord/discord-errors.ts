import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { ChannelError } from '../channel.js';

const UNKNOWN_MESSAGE = 10_008;
const NEVER_ARRIVED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/;

/** What went wrong at Discord. */
export function discordError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  if (error instanceof RateLimitError) {
    return new ChannelError('rate_limited', 'Discord asks to wait.', { retryAfterMs: error.retryAfter });
  }
  if (error instanceof DiscordAPIError) {
    const code = error.code === UNKNOWN_MESSAGE ? 'gone' : 'refused';
    return new ChannelError(code, `Discord says ${error.message} (${error.code}).`);
  }
  if (error instanceof HTTPError) {
    return new ChannelError(error.status >= 500 ? 'unknown' : 'refused', `Discord answered ${error.status}.`);
  }
  return NEVER_ARRIVED.test(codesOf(error))
    ? new ChannelError('unreachable', 'Discord cannot be reached.')
    : new ChannelError('unknown', 'The connection to Discord broke.');
}

function codesOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = 'code' in error ? String(error.code) : '';
  return `${code} ${error.message} ${codesOf(error.cause)}`;
}
