import { normaliseAgentId } from '@x/session-scope';
import { z } from 'zod';
import type { Gateway } from '../gateway.js';
import { SUBJECT_FORM, SUBJECT_FORMS } from '../memories/memory-subject.js';
import { viewMemory } from '../memories/memory-view.js';
import { RequestError } from '../request-error.js';
import { defineRoute, type Route } from './route.js';

const text = z.string().describe('What is kept; at most 4,000 characters.');
const subject = z
  .string()
  .max(2048)
  .regex(SUBJECT_FORM, `expected ${SUBJECT_FORMS}`)
  .describe('Whose it is: person:NAME, sender:CHANNEL:ID or session:KEY.');
const agent = z.string().min(1).max(200).describe('The agent that keeps it.');

export const memoryRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/memories',
    summary: 'Lists what agents keep for good, newest first',
    query: z.object({
      agent: agent.optional(),
      subject: subject.optional(),
      q: z.string().max(200).optional().describe('Part of the text, in any case.'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.coerce.number().int().positive().optional().describe('next_cursor of the page before.'),
    }),
    answer: '{memories, next_cursor}',
    async handle({ gateway, query }) {
      const { agent: agentId, subject: whose, q, limit, cursor } = query;
      const found = await gateway.memories.list({
        // One more than asked for tells whether there are more.
        limit: limit + 1,
        ...(agentId === undefined ? {} : { agentId: normaliseAgentId(agentId) }),
        ...(whose === undefined ? {} : { subject: whose }),
        ...(q === undefined ? {} : { text: q }),
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const memories = found.slice(0, limit).map(viewMemory);
      const next = found.length > limit ? (memories.at(-1)?.id ?? null) : null;
      return Response.json({ memories, next_cursor: next });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/memories/{id}',
    summary: 'Shows one memory',
    answer: '{memory}',
    errors: ['memory_not_found'],
    async handle({ gateway, parameter }) {
      const memory = await gateway.memories.get(idIn(parameter('id')));
      if (memory === undefined) throw notThere(parameter('id'));
      return Response.json({ memory: viewMemory(memory) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/memories',
    summary: 'Keeps something for good',
    body: z.object({ subject, text, agent: agent.optional() }),
    answer: '{memory, added}: added is false where it was kept already',
    errors: ['unknown_agent', 'memories_full', 'memory_too_long'],
    async handle({ gateway, body }) {
      const agentId = agentOf(gateway, body.agent);
      const { memory, added } = await gateway.memories.add({ agentId, subject: body.subject }, body.text);
      return Response.json({ memory: viewMemory(memory), added });
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/memories/{id}',
    summary: 'Changes what a memory says',
    body: z.object({ text }),
    answer: '{memory}',
    errors: ['memory_not_found', 'memory_too_long'],
    async handle({ gateway, body, parameter }) {
      return Response.json({
        memory: viewMemory(await gateway.memories.edit(idIn(parameter('id')), body.text)),
      });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/memories/{id}',
    summary: 'Forgets something for good',
    answer: '{deleted: true}',
    errors: ['memory_not_found'],
    async handle({ gateway, parameter }) {
      await gateway.memories.forget(idIn(parameter('id')));
      return Response.json({ deleted: true });
    },
  }),
];

function agentOf({ agents }: Gateway, asked: string | undefined): string {
  if (asked === undefined) return agents.list.find(({ isDefault }) => isDefault)?.id ?? 'main';
  const id = normaliseAgentId(asked);
  if (agents.has(id)) return id;
  throw new RequestError(400, 'unknown_agent', `agent: no agent ${asked} is configured.`);
}

function idIn(given: string): number {
  const id = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (id === 0) throw notThere(given);
  return id;
}

function notThere(given: string): RequestError {
  return new RequestError(
    404,
    'memory_not_found',
    `There is no memory ${JSON.stringify(given.slice(0, 100))}.`,
  );
}
