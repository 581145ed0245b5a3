import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import { schemaProblems } from '../configuration/schema-problems.js';
import type { Gateway } from '../gateway.js';
import { RequestError } from '../request-error.js';
import { authorise, createGate } from './access.js';
import { auditRoutes, createAuditing } from './audit-routes.js';
import { bindingRoutes } from './binding-routes.js';
import { channelRoutes } from './channel-routes.js';
import { chatRoutes } from './chat-routes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { eventRoutes } from './event-routes.js';
import { addSecurityHeaders, checkHost } from './guard.js';
import { jobRoutes } from './job-routes.js';
import { readJson } from './json-body.js';
import { maintenanceRoutes } from './maintenance-routes.js';
import { memoryRoutes } from './memory-routes.js';
import { createMetrics } from './metrics.js';
import { openaiRoutes } from './openai-routes.js';
import { describeApi } from './openapi.js';
import { asRequestError, problemResponse } from './problem.js';
import { defineRoute, type Route, scopeNeeded } from './route.js';
import { sessionRoutes } from './session-routes.js';
import { skillRoutes } from './skill-routes.js';
import { servePage } from './static-page.js';
import { statusRoutes } from './status-routes.js';

/** The pattern of the route that serves a request, for what is counted and logged: paths hold names of people. */
export type AppEnvironment = { Variables: { route?: string } };

/** The HTTP interface of a gateway: the API, what describes it, and the page. */
export function createApp(gateway: Gateway, pageFolder: string): Hono<AppEnvironment> {
  const metrics = createMetrics(gateway.runtime);
  const routes: readonly Route[] = [
    ...statusRoutes,
    ...chatRoutes,
    ...openaiRoutes,
    ...channelRoutes,
    ...deliveryRoutes,
    ...sessionRoutes,
    ...maintenanceRoutes,
    ...bindingRoutes,
    ...memoryRoutes,
    ...skillRoutes,
    ...jobRoutes,
    ...eventRoutes,
    ...auditRoutes,
    defineRoute({
      method: 'get',
      path: '/metrics',
      summary: 'Counts and measures in the text format of Prometheus',
      answer: 'Metrics',
      answerTypes: ['text/plain'],
      handle: async () =>
        new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
    }),
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      needs: 'none',
      summary: 'This description',
      answer: 'An OpenAPI 3.1 document',
      handle: async () => Response.json(description),
    }),
  ];
  const description = describeApi(routes);

  const gate = createGate(gateway.configuration.gateway);
  const audit = createAuditing(gateway);
  const answer = async (route: Route, context: Context): Promise<Response> => {
    const needed = scopeNeeded(route);
    if (needed === 'none') return serve(gateway, route, context);
    const caller = await gate.identify(context);
    authorise(caller, needed);
    return audit(caller, route, context, () => serve(gateway, route, context));
  };

  const app = new Hono<AppEnvironment>();
  app.use(addSecurityHeaders);
  app.use(async (context, next) => {
    const begun = performance.now();
    await next();
    const route = context.get('route') ?? 'other';
    const seconds = (performance.now() - begun) / 1000;
    metrics.countRequest(context.req.method, route, context.res.status, seconds);
    gateway.log.debug(
      { method: context.req.method, route, status: context.res.status, seconds },
      'Answered.',
    );
  });
  app.use(checkHost(gateway.configuration));
  const markVersion = etag();
  app.use('/api/sessions/*', (context, next) =>
    context.req.method === 'GET' ? markVersion(context, next) : next(),
  );
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) => {
      context.set('route', route.path);
      return answer(route, context);
    });
  }
  // Nobody without a token learns what is there and what is not.
  app.use('/api/*', async (context, next) => {
    await gate.identify(context);
    return next();
  });
  app.use(servePage(pageFolder));
  app.notFound((context) => {
    const served = routes.filter(({ path }) => matches(path, context.req.path)).map(methodsOf);
    if (served.length === 0)
      return problemResponse(new RequestError(404, 'not_found', 'There is nothing at this address.'));
    return problemResponse(
      new RequestError(405, 'method_not_allowed', `${context.req.method} is not a method of this path.`),
      {},
      { allow: served.join(', ') },
    );
  });
  app.onError((error, context) => {
    const known = asRequestError(error);
    if (known === undefined || known.status >= 500) {
      gateway.log.error(
        { err: error, method: context.req.method, route: context.get('route') },
        'A request failed.',
      );
    }
    const headers: Record<string, string> = {};
    if (known?.status === 401) headers['www-authenticate'] = 'Bearer';
    if (known?.status === 429) headers['retry-after'] = String(known.retryAfterSeconds ?? 5);
    const shown = known ?? new RequestError(500, 'internal', 'The gateway failed at this; the log says why.');
    return problemResponse(shown, {}, headers);
  });
  return app;
}

async function serve(gateway: Gateway, route: Route, context: Context): Promise<Response> {
  return route.handle({
    gateway,
    key: context.req.param('key') ?? '',
    parameter: (name) => context.req.param(name) ?? '',
    query:
      route.query === undefined ? {} : parsed(route.query.safeParse(context.req.query()), 'invalid_query'),
    body:
      route.body === undefined
        ? undefined
        : parsed(route.body.safeParse(await readJson(context.req.raw)), 'invalid_request'),
    context,
  });
}

function parsed<Value>(
  result: { success: true; data: Value } | { success: false; error: Parameters<typeof schemaProblems>[0] },
  code: string,
): Value {
  if (result.success) return result.data;
  const complaints = schemaProblems(result.error).map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  throw new RequestError(400, code, complaints.join('; '));
}

function methodsOf({ method }: Route): string {
  return method === 'get' ? 'GET, HEAD' : method.toUpperCase();
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((part, index) => (/^\{\w+\}$/.test(part) ? given[index] !== '' : part === given[index]))
  );
}
