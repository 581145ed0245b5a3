import { modelReferenceText } from '../models/model-reference.js';
import { VERSION } from '../version.js';
import { defineRoute, type Route } from './route.js';

export const statusRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/status',
    summary: 'Says what runs here: version, model, agents, store',
    answer: '{version, model, agents, store, started_at}',
    async handle({ gateway }) {
      const { model } = gateway.configuration;
      const isOffline = model.provider === 'offline';
      return Response.json({
        version: VERSION,
        model: {
          id: modelReferenceText(model),
          label: isOffline ? 'Offline demo model' : `${model.name} (${model.provider})`,
          offline: isOffline,
        },
        agents: gateway.agents.list.map(({ id, isDefault }) => ({ id, default: isDefault })),
        store: gateway.layout.store,
        started_at: gateway.startedAt.toISOString(),
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/healthz',
    needs: 'none',
    summary: 'Says that the gateway lives',
    answer: '{status: "ok"}',
    handle: async () => Response.json({ status: 'ok' }),
  }),
];
