import type { Context } from 'hono';
import { z } from 'zod';
import type { Gateway } from '../gateway.js';
import type { RequestError } from '../request-error.js';
import type { Caller } from './access.js';
import { asRequestError } from './problem.js';
import { defineRoute, type Route, scopeNeeded } from './route.js';

export const auditRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/audit',
    needs: 'admin',
    summary: 'What was changed through this interface and by whom, newest first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
    answer: '{entries: [{at, who, action, target, status}]}',
    handle: async ({ gateway, query }) => Response.json({ entries: await gateway.audit.newest(query.limit) }),
  }),
];

/** Runs what a caller asked for, and keeps a record of it where it needs the scope `admin` and is no mere look. */
export function createAuditing({ audit, log }: Pick<Gateway, 'audit' | 'log'>) {
  return async (
    caller: Caller,
    route: Route,
    context: Context,
    run: () => Promise<Response>,
  ): Promise<Response> => {
    if (scopeNeeded(route) !== 'admin' || route.method === 'get') return run();
    const action = `${route.method.toUpperCase()} ${route.path}`;
    const keep = (status: number) =>
      audit
        .record({
          at: new Date().toISOString(),
          who: caller.name,
          action,
          target: context.req.param(),
          status,
        })
        // What was asked for is done by now: an answer that says otherwise would be asked for twice.
        .catch((error: unknown) => log.error({ err: error, action }, 'The audit could not be written.'));
    try {
      const response = await run();
      await keep(response.status);
      return response;
    } catch (error) {
      await keep(statusOf(error));
      throw error;
    }
  };
}

const statusOf = (error: unknown): RequestError['status'] | 500 => asRequestError(error)?.status ?? 500;
