import { ErrorCode } from '@slack/web-api';
import { ChannelError } from '../channel.js';

const NEVER_ARRIVED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/;

/** What went wrong at Slack, by the code of the library's error. */
export function slackError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  const facts = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: string;
    readonly retryAfter?: number;
    readonly statusCode?: number;
    readonly data?: { readonly error?: string };
    readonly original?: unknown;
  };
  switch (facts.code) {
    case ErrorCode.RateLimitedError: {
      const retryAfterMs = (facts.retryAfter ?? 1) * 1000;
      return new ChannelError('rate_limited', 'Slack asks to wait.', { retryAfterMs });
    }
    case ErrorCode.PlatformError: {
      const why = facts.data?.error ?? 'an error';
      if (why === 'message_not_found' || why === 'cant_update_message') {
        return new ChannelError('gone', `Slack says ${why}.`);
      }
      const isPassing = why === 'internal_error' || why === 'service_unavailable' || why === 'fatal_error';
      return new ChannelError(isPassing ? 'unknown' : 'refused', `Slack says ${why}.`);
    }
    case ErrorCode.HTTPError:
      return new ChannelError(
        (facts.statusCode ?? 500) >= 500 ? 'unknown' : 'refused',
        `Slack answered ${facts.statusCode}.`,
      );
    default: {
      const cause = causesOf(error).find((text) => NEVER_ARRIVED.test(text));
      return cause === undefined
        ? new ChannelError('unknown', 'The connection to Slack broke.')
        : new ChannelError('unreachable', 'Slack cannot be reached.');
    }
  }
}

function causesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { original } = error as { readonly original?: unknown };
  const code = 'code' in error ? String(error.code) : '';
  return [`${code} ${error.message}`, ...causesOf(original), ...causesOf(error.cause)];
}
