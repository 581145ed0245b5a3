import { z } from 'zod';
import { viewSkill, viewSkillEvent } from '../skills/skill-view.js';
import { defineRoute, type Route } from './route.js';

export const skillRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/skills',
    summary: 'Lists the skills that are there, and those that cannot be used',
    answer: '{skills}',
    handle: async ({ gateway }) => Response.json({ skills: (await gateway.skills.list()).map(viewSkill) }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/skill-events',
    summary: 'Lists what happened to skills, newest first',
    query: z.object({
      skill: z.string().max(200).optional().describe('Only of this skill.'),
      session: z.string().max(1024).optional().describe('Only in this session: a key or an alias.'),
      kind: z.enum(['found', 'skipped', 'gone', 'used']).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.coerce.number().int().positive().optional().describe('next_cursor of the page before.'),
    }),
    answer: '{events, next_cursor}',
    async handle({ gateway, query }) {
      const { skill, session, kind, limit, cursor } = query;
      const sessionKey =
        session === undefined ? undefined : ((await gateway.backend.resolve(session)) ?? session);
      const found = await gateway.skillEvents.list({
        // One more than asked for tells whether there are more.
        limit: limit + 1,
        ...(skill === undefined ? {} : { skill }),
        ...(kind === undefined ? {} : { kind }),
        ...(sessionKey === undefined ? {} : { sessionKey }),
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const events = found.slice(0, limit).map(viewSkillEvent);
      const next = found.length > limit ? (events.at(-1)?.id ?? null) : null;
      return Response.json({ events, next_cursor: next });
    },
  }),
];
