import type { SessionMeta } from '@x/session-store';
import { z } from 'zod';
import type { Gateway } from '../gateway.js';
import { readTail } from '../live-feed.js';
import { RequestError } from '../request-error.js';
import { findSession } from '../session-place.js';
import { endTurns } from '../session-turns.js';
import { viewLiveSession, viewMessage, viewSessionDetails } from '../session-view.js';
import { defineRoute, type Route } from './route.js';

const flag = z.enum(['true', 'false']).default('false');
const pageSize = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);
const seq = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();
const title = z
  .string()
  .trim()
  .regex(/^\P{Cc}{0,200}$/u, 'expected at most 200 characters without control characters')
  .describe('An empty one takes the title away.');

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/sessions',
    summary: 'Lists the sessions of all channels, newest activity first',
    query: z.object({
      limit: pageSize(200, 50),
      cursor: z.string().max(4096).optional().describe('next_cursor of the page before.'),
      channel: z.string().max(200).optional(),
      q: z.string().max(200).optional().describe('Part of the title, in any case.'),
      archived: flag.describe('true: those put away as well.'),
      deleted: flag.describe('true: those in the bin, and no others.'),
    }),
    answer: '{sessions, next_cursor}',
    async handle({ gateway, query }) {
      const page = await gateway.backend.list(
        {
          limit: query.limit,
          archived: query.archived === 'true' ? 'include' : 'exclude',
          deleted: query.deleted === 'true',
          ...(query.channel === undefined ? {} : { channel: query.channel }),
          ...(query.q === undefined || query.q === '' ? {} : { text: query.q }),
        },
        query.cursor,
      );
      const sessions = await Promise.all(page.sessions.map((meta) => viewNow(gateway, meta)));
      return Response.json({ sessions, next_cursor: page.nextCursor ?? null });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/sessions/{key}',
    summary: 'Shows one session',
    answer: '{session}, with pinned, stale, scope and segments',
    errors: ['session_not_found'],
    async handle({ gateway, key }) {
      const meta = await sessionOf(gateway, key);
      const details = viewSessionDetails(meta, gateway.configuration.reset, gateway.clock());
      return Response.json({ session: { ...(await viewNow(gateway, meta)), ...details } });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/sessions/{key}/messages',
    summary: 'Reads messages: the newest before a place, in the order they were said',
    query: z.object({
      segment: z.enum(['active', 'all']).default('active'),
      before: seq.describe('Only messages with a smaller seq.'),
      after: seq.describe('Only messages with a larger seq.'),
      limit: pageSize(1000, 50),
    }),
    answer: '{session_key, messages, has_more, first_active_seq}',
    errors: ['session_not_found'],
    async handle({ gateway, key, query }) {
      const meta = await sessionOf(gateway, key);
      const { segment, before, after, limit } = query;
      // One more than asked for tells whether there are more.
      const newest = await gateway.backend.read(meta.key, {
        segment,
        limit: limit + 1,
        order: 'desc',
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
      return Response.json({
        session_key: meta.key,
        messages: newest.slice(0, limit).toReversed().map(viewMessage),
        has_more: newest.length > limit,
        first_active_seq: meta.cutoff + 1,
      });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/sessions/{key}/rename',
    summary: 'Gives the session a title',
    body: z.object({ title }),
    answer: '{session}',
    errors: ['session_not_found'],
    handle: ({ gateway, key, body }) =>
      change(gateway, key, (found) => gateway.backend.rename(found, body.title)),
  }),
  action('archive', 'Puts the session away; the next message wakes it', (gateway, key) =>
    gateway.backend.archive(key),
  ),
  action('unarchive', 'Brings an archived session back', (gateway, key) => gateway.backend.unarchive(key)),
  action(
    'reset',
    'Begins a new segment: what was said stays readable but no longer reaches the model',
    async (gateway, key) => {
      await endTurns(gateway.runtime, key, 'The session was reset.');
      return gateway.backend.reset(key, { reason: 'manual' });
    },
  ),
  action('clear', 'Removes all messages of the session for good; the session stays', async (gateway, key) => {
    await endTurns(gateway.runtime, key, 'The session was cleared.');
    return gateway.backend.clear(key);
  }),
  defineRoute({
    method: 'post',
    path: '/api/sessions/{key}/restore',
    summary: 'Takes a deleted session out of the bin',
    answer: '{session}',
    errors: ['session_not_found'],
    async handle({ gateway, key }) {
      // A deleted session has no names any more: it is restored by its key.
      const meta = await gateway.backend.restore(key);
      gateway.feed.sessionChanged(meta.key);
      return Response.json({ session: await viewNow(gateway, meta) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/sessions/{key}/stop',
    needs: 'chat',
    summary: 'Ends the running turn; what was said so far is kept',
    answer: '{stopped}: false where none was running',
    errors: ['session_not_found'],
    async handle({ gateway, key }) {
      const meta = await sessionOf(gateway, key);
      return Response.json({ stopped: gateway.runtime.stop(meta.key, 'Stopped by the person.') });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/sessions/{key}',
    summary: 'Moves the session to the bin, from which it can be restored',
    answer: '{deleted: true}',
    errors: ['session_not_found'],
    async handle({ gateway, key }) {
      const meta = await sessionOf(gateway, key);
      await endTurns(gateway.runtime, meta.key, 'The session was deleted.');
      await gateway.backend.delete(meta.key);
      gateway.feed.sessionDeleted(meta.key);
      return Response.json({ deleted: true });
    },
  }),
];

function action(
  name: string,
  summary: string,
  act: (gateway: Gateway, key: string) => Promise<SessionMeta>,
): Route {
  return defineRoute({
    method: 'post',
    path: `/api/sessions/{key}/${name}`,
    summary,
    answer: '{session}',
    errors: ['session_not_found'],
    handle: ({ gateway, key }) => change(gateway, key, (found) => act(gateway, found)),
  });
}

async function change(
  gateway: Gateway,
  key: string,
  act: (key: string) => Promise<SessionMeta>,
): Promise<Response> {
  const found = await sessionOf(gateway, key);
  const meta = await act(found.key);
  gateway.feed.sessionChanged(meta.key);
  return Response.json({ session: await viewNow(gateway, meta) });
}

async function sessionOf(gateway: Gateway, key: string): Promise<SessionMeta> {
  const meta = await findSession(gateway.backend, key);
  if (meta !== undefined) return meta;
  throw new RequestError(
    404,
    'session_not_found',
    `No session has the key or name ${JSON.stringify(shown(key))}.`,
  );
}

async function viewNow(gateway: Gateway, meta: SessionMeta) {
  return viewLiveSession(
    meta,
    await readTail(gateway.backend, meta.key),
    gateway.runtime.running(meta.key) !== undefined,
  );
}

function shown(key: string): string {
  return key.length <= 100 ? key : `${key.slice(0, 100)}…`;
}
