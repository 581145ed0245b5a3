import { z } from 'zod';
import { viewDelivery, viewPairing, viewWholeDelivery } from '../deliveries/delivery-view.js';
import { deliveryOf, dropDelivery, replayDelivery } from '../deliveries/operator-decision.js';
import { decidePairing } from '../pairing/pairing-codes.js';
import { RequestError } from '../request-error.js';
import { RunError } from '../run-error.js';
import { defineRoute, type Route } from './route.js';

const decision = z.object({
  code: z.string().min(1).max(32).describe('The code that the person was given.'),
});

export const deliveryRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/deliveries',
    summary: 'Lists what came in over channels and what was said there, newest first',
    query: z.object({
      queue: z.enum(['inbox', 'outbox']).optional(),
      state: z.enum(['waiting', 'running', 'done', 'unknown', 'aside', 'dropped']).optional(),
      channel: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.coerce.number().int().positive().optional().describe('next_cursor of the page before.'),
    }),
    answer: '{deliveries, next_cursor}',
    async handle({ gateway, query: { queue, state, channel, limit, cursor } }) {
      const found = await gateway.deliveries.list({
        limit: limit + 1,
        ...(queue === undefined ? {} : { queue }),
        ...(state === undefined ? {} : { state }),
        ...(channel === undefined ? {} : { channel }),
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const deliveries = found.slice(0, limit).map(viewDelivery);
      return Response.json({
        deliveries,
        next_cursor: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null,
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/deliveries/{id}',
    summary: 'Shows a delivery with what it holds',
    answer: '{delivery}',
    errors: ['delivery_not_found'],
    async handle({ gateway, parameter }) {
      const delivery = await deliveryOf(gateway.deliveries, idOf(parameter('id')));
      return Response.json({ delivery: viewWholeDelivery(delivery) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/deliveries/{id}/replay',
    summary: 'Works on a delivery again',
    answer: '{delivery}',
    errors: ['delivery_not_found', 'delivery_not_replayable'],
    async handle({ gateway, parameter }) {
      const id = idOf(parameter('id'));
      const delivery = await replayDelivery(gateway.deliveries, id, gateway.clock());
      return Response.json({ delivery: viewDelivery(delivery) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/deliveries/{id}/drop',
    summary: 'Lets go of a delivery',
    answer: '{delivery}',
    errors: ['delivery_not_found', 'delivery_not_droppable'],
    async handle({ gateway, parameter }) {
      const delivery = await dropDelivery(gateway.deliveries, idOf(parameter('id')));
      return Response.json({ delivery: viewDelivery(delivery) });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/pairings',
    summary: 'Lists who may talk to the channels, who asks to, and who may not',
    answer: '{pairings}',
    handle: async ({ gateway }) =>
      Response.json({ pairings: (await gateway.pairings.list()).map(viewPairing) }),
  }),
  ...(['approve', 'refuse'] as const).map((action) =>
    defineRoute({
      method: 'post',
      path: `/api/pairings/${action}`,
      summary: action === 'approve' ? 'Lets in who has this code' : 'Turns away who has this code',
      body: decision,
      answer: '{pairing}',
      errors: ['pairing_not_found'],
      async handle({ gateway, body }) {
        const state = action === 'approve' ? 'approved' : 'refused';
        try {
          const pairing = await decidePairing(gateway.pairings, body.code, state, gateway.clock());
          return Response.json({ pairing: viewPairing(pairing) });
        } catch (error) {
          if (error instanceof RunError) throw new RequestError(404, 'pairing_not_found', error.message);
          throw error;
        }
      },
    }),
  ),
  defineRoute({
    method: 'delete',
    path: '/api/pairings/{channel}/{sender}',
    summary: 'Forgets a person on a channel: a stranger again',
    answer: '{removed}',
    handle: async ({ gateway, parameter }) =>
      Response.json({ removed: await gateway.pairings.remove(parameter('channel'), parameter('sender')) }),
  }),
];

function idOf(text: string): number {
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new RequestError(400, 'invalid_request', `id: expected a number, got ${JSON.stringify(text)}.`);
}
