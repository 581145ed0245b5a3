import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RequestError } from '../request-error.js';

/** Says no to those who ask too often. */
export interface Throttle {
  /** Throws `RequestError` 429 where this address has shown too many wrong tokens of late. */
  checkAddress(context: Context): Promise<void>;
  /** Counts a wrong token of this address. */
  noteWrongToken(context: Context): Promise<void>;
  /** Counts a request of this caller; throws `RequestError` 429 where it has made too many. */
  countRequest(caller: string): Promise<void>;
}

/** Wrong tokens of one address in a minute, before it has to wait. */
const WRONG_TOKENS = 20;
const MINUTE_SECONDS = 60;

/** `requestsPerMinute`: how many each caller may make; undefined for any number. */
export function createThrottle(requestsPerMinute: number | undefined): Throttle {
  const wrong = new RateLimiterMemory({ points: WRONG_TOKENS, duration: MINUTE_SECONDS });
  const requests =
    requestsPerMinute === undefined
      ? undefined
      : new RateLimiterMemory({ points: requestsPerMinute, duration: MINUTE_SECONDS });
  return {
    async checkAddress(context) {
      const so = await wrong.get(addressOf(context));
      if (so !== null && so.consumedPoints >= WRONG_TOKENS) {
        throw refusal(so, 'too_many_wrong_tokens', 'requests with a wrong token came from this address');
      }
    },
    async noteWrongToken(context) {
      await wrong.penalty(addressOf(context));
    },
    async countRequest(caller) {
      try {
        await requests?.consume(caller);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw refusal(error, 'too_many_requests', 'requests were made with this token');
      }
    },
  };
}

function refusal({ msBeforeNext }: RateLimiterRes, code: string, what: string): RequestError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new RequestError(429, code, `Too many ${what}: try again in ${seconds} s.`, seconds);
}

function addressOf(context: Context): string {
  return getConnInfo(context).remote.address ?? 'unknown';
}
