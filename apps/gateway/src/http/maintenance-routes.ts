import { z } from 'zod';
import type { Gateway } from '../gateway.js';
import { maintainGateway } from '../maintenance/maintain-gateway.js';
import { RequestError } from '../request-error.js';
import { findSession } from '../session-place.js';
import { viewSession } from '../session-view.js';
import { defineRoute, type Route } from './route.js';

export const maintenanceRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/maintenance',
    summary: 'Keeps the sessions to the configured limits, or says what that would do',
    body: z.object({
      enforce: z.boolean().optional().describe('Default: what session.maintenance.mode says.'),
    }),
    answer: '{enforced, before, after, steps, spared}',
    handle: async ({ gateway, body }) =>
      Response.json(await maintainGateway(gateway, { enforce: body.enforce })),
  }),
  defineRoute({
    method: 'post',
    path: '/api/sessions/{key}/pin',
    summary: 'Keeps the session, whatever the limits of maintenance say',
    answer: '{session}',
    errors: ['session_not_found'],
    handle: ({ gateway, key }) => setPinned(gateway, key, true),
  }),
  defineRoute({
    method: 'post',
    path: '/api/sessions/{key}/unpin',
    summary: 'Lets the limits of maintenance hold for the session again',
    answer: '{session}',
    errors: ['session_not_found'],
    handle: ({ gateway, key }) => setPinned(gateway, key, false),
  }),
];

async function setPinned({ backend, feed }: Gateway, name: string, isPinned: boolean): Promise<Response> {
  const found = await findSession(backend, name);
  if (found === undefined)
    throw new RequestError(
      404,
      'session_not_found',
      `No session has the key or name ${JSON.stringify(name.slice(0, 100))}.`,
    );
  const { meta } = await backend.ensure(found.key, { attributes: { pinned: isPinned ? true : null } });
  feed.sessionChanged(meta.key);
  return Response.json({ session: viewSession(meta) });
}
