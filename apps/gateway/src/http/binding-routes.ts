import { inboundContextSchema } from '@x/session-scope';
import { z } from 'zod';
import { RequestError } from '../request-error.js';
import { findSession } from '../session-place.js';
import { bindingTargetSchema } from '../thread-bindings/binding.js';
import { viewBinding } from '../thread-bindings/binding-view.js';
import { threadOf } from '../thread-bindings/bound-place.js';
import { defineRoute, type Route } from './route.js';

const hours = z.number().min(0).max(876_000).optional();

export const bindingRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/bindings',
    summary: 'Lists the chats and threads that are bound to a session or an agent',
    answer: '{bindings}',
    handle: async ({ gateway }) => Response.json({ bindings: gateway.bindings.list().map(viewBinding) }),
  }),
  defineRoute({
    method: 'post',
    path: '/api/bindings',
    summary: 'Binds a chat or thread, in the stead of what it was bound to',
    body: z.object({
      context: inboundContextSchema,
      target: bindingTargetSchema.describe('{session}: a key, an alias or a name; or {agent}.'),
      idle_hours: hours.describe('Silence after which it is released; 0: never. Default: as configured.'),
      max_age_hours: hours.describe('Age at which it is; 0: never. Default: as configured.'),
    }),
    answer: '{binding}',
    errors: ['session_not_found', 'unknown_agent'],
    async handle({ gateway, body }) {
      const { context, target, idle_hours, max_age_hours } = body;
      const { threadBindings } = gateway.configuration;
      const binding = gateway.bindings.bind(
        threadOf(context, gateway.router.route(context).policy),
        await checked(),
        {
          idleMs: idle_hours === undefined ? threadBindings.idleMs : lasting(idle_hours),
          maxAgeMs: max_age_hours === undefined ? threadBindings.maxAgeMs : lasting(max_age_hours),
        },
      );
      return Response.json({ binding: viewBinding(binding) });

      async function checked() {
        if ('agent' in target) {
          if (gateway.agents.has(target.agent)) return target;
          throw new RequestError(
            400,
            'unknown_agent',
            `target.agent: no agent ${target.agent} is configured.`,
          );
        }
        const meta = await findSession(gateway.backend, target.session);
        if (meta !== undefined) return { session: meta.key };
        throw new RequestError(
          404,
          'session_not_found',
          `No session has the key or name ${JSON.stringify(target.session.slice(0, 100))}.`,
        );
      }
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/bindings/{id}',
    summary: 'Releases a chat or thread: its messages go where they are routed',
    answer: '{released}: false where nothing of this id is bound',
    handle: async ({ gateway, parameter }) =>
      Response.json({ released: gateway.bindings.release(parameter('id')) }),
  }),
];

function lasting(hoursLong: number): number | undefined {
  return hoursLong === 0 ? undefined : hoursLong * 3_600_000;
}
