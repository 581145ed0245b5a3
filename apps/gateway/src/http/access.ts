import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Configuration, Scope } from '../configuration/configuration.js';
import { RequestError } from '../request-error.js';
import { refuseForeignOrigin } from './guard.js';
import { createThrottle } from './throttle.js';

/** Who makes a request: the name of the token, and what it may do. */
export interface Caller {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

const EVERYTHING: ReadonlySet<Scope> = new Set(['read', 'chat', 'admin']);

/** Whoever reaches a gateway without tokens is the person at this machine. */
const LOCAL: Caller = { name: 'local', scopes: EVERYTHING };

/** Where a request is let in or turned away. */
export interface Gate {
  /**
   * Says who makes a request. Throws `RequestError`: 403 where a page of another origin makes it, 401 where the token
   * is none of ours, 429 where there have been too many.
   */
  identify(context: Context): Promise<Caller>;
}

/** Asks for a bearer token where any is in force. */
export function createGate({ tokens, requestsPerMinute }: Configuration['gateway']): Gate {
  const throttle = createThrottle(requestsPerMinute);
  const known = tokens.map(({ name, token, scopes }) => ({
    expected: digest(token),
    caller: { name, scopes: scopes.includes('admin') ? EVERYTHING : new Set(scopes) },
  }));

  async function callerOf(context: Context): Promise<Caller> {
    if (known.length === 0) return LOCAL;
    await throttle.checkAddress(context);
    const given = /^Bearer +(.+)$/i.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
    const digested = digest(given.trim());
    // Equal lengths, all of them compared: the time taken must not tell how much of a guess was right.
    const [match] = known.filter(({ expected }) => timingSafeEqual(digested, expected));
    if (match !== undefined) return match.caller;
    if (given !== '') await throttle.noteWrongToken(context);
    throw new RequestError(
      401,
      'unauthorized',
      'Send a token of this gateway as Authorization: Bearer TOKEN.',
    );
  }

  return {
    async identify(context) {
      refuseForeignOrigin(context);
      const caller = await callerOf(context);
      await throttle.countRequest(caller.name);
      return caller;
    },
  };
}

/** Throws `RequestError` 403 where the caller may not do what needs this scope. */
export function authorise(caller: Caller, needed: Scope): void {
  if (caller.scopes.has(needed)) return;
  throw new RequestError(
    403,
    'scope_missing',
    `The token ${JSON.stringify(caller.name)} has not the scope ${needed}; it has ${[...caller.scopes].join(', ')}.`,
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
