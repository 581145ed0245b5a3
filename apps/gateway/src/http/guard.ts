import type { Context, MiddlewareHandler } from 'hono';
import type { Configuration } from '../configuration/configuration.js';
import { RequestError } from '../request-error.js';
import { bareHost, isAddress, isLoopbackHost } from './host-names.js';

/**
 * Refuses requests under a name that is not ours. A page of another site whose name was pointed at this machine
 * (DNS rebinding) still says its own name in `Host`. An address is no name, and nobody can rebind one.
 */
export function checkHost({ gateway }: Pick<Configuration, 'gateway'>): MiddlewareHandler {
  const allowed = new Set([gateway.host, ...gateway.allowedHosts].map(bareHost));
  return async (context, next) => {
    const host = bareHost(context.req.header('host') ?? '');
    if (!allowed.has(host) && !isLoopbackHost(host) && !isAddress(host)) {
      throw new RequestError(
        403,
        'host_not_allowed',
        'This gateway is not known under that host name. Name it in gateway.allowed_hosts to allow it.',
      );
    }
    await next();
  };
}

/** Refuses what a page of another origin makes a browser send, whatever the method. */
export function refuseForeignOrigin({ req }: Context): void {
  const origin = req.header('origin');
  const host = req.header('host') ?? '';
  const site = req.header('sec-fetch-site');
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  if (!isOwn || site === 'cross-site' || (origin === undefined && site === 'same-site')) {
    throw new RequestError(403, 'origin_not_allowed', 'The API answers pages of its own origin only.');
  }
}

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export const addSecurityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value);
  if (context.req.path.startsWith('/api/') && !context.res.headers.has('cache-control')) {
    // What has a mark of its version may be kept by who asked for it, and asked for again each time.
    const isMarked = context.res.headers.has('etag');
    context.res.headers.set('cache-control', isMarked ? 'private, no-cache' : 'no-store');
  }
};
