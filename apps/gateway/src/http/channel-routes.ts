import { defineRoute, type Route } from './route.js';

/** Where platforms deliver. Each has its own way to say who it is, so that no token of ours is asked for. */
export const channelRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/channels/{name}',
    needs: 'none',
    summary: 'Takes what a platform delivers to this channel, signed as the platform signs',
    answer: 'What the platform expects; only once the message is stored.',
    errors: ['signature_invalid', 'signature_expired', 'not_connected', 'queue_full', 'invalid_request'],
    handle: ({ gateway, parameter, context }) =>
      gateway.channels.handleRequest(parameter('name'), context.req.raw),
  }),
];
