import { z } from 'zod';
import { openEventStream } from './event-stream.js';
import { defineRoute, type Route } from './route.js';

/** Told to everyone who listens; what happens inside a turn is told to those who watch its session, or all. */
const FOR_EVERYONE = new Set(['session', 'session_deleted', 'turn', 'user']);

export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/events',
    summary: 'Tells what happens, as it happens',
    query: z.object({
      session: z
        .string()
        .max(1024)
        .optional()
        .describe('Tells tokens, tools and messages of this session only.'),
    }),
    answer: 'A stream of events: hello, session, session_deleted, turn, user, token, tool, message.',
    answerTypes: ['text/event-stream'],
    async handle({ gateway, query }) {
      const watched =
        query.session === undefined
          ? undefined
          : ((await gateway.backend.resolve(query.session)) ?? query.session);
      const stream = openEventStream();
      stream.send('hello', { started_at: gateway.startedAt.toISOString() });
      const unsubscribe = gateway.feed.subscribe({
        tell({ name, payload }) {
          const isWatched =
            watched === undefined ||
            FOR_EVERYONE.has(name) ||
            ('session_key' in payload && payload.session_key === watched);
          if (isWatched) stream.send(name, payload);
        },
        end: () => stream.close(),
      });
      stream.onEnd(unsubscribe);
      return stream.response;
    },
  }),
];
