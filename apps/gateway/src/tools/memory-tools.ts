import { type AgentSpec, defineTool, type Tool } from '@x/agent-runtime';
import type { Router } from '@x/routing';
import type { InboundContext } from '@x/session-scope';
import type { Memory, MemoryStore } from '@x/session-sqlite';
import { z } from 'zod';
import { memorySubjects, type SpokenIn, sessionSubject } from '../memories/memory-subject.js';

/** So that a result does not fill the model's window. */
const MOST_RECALLED = 50;
/** Looked through to find one by its words. */
const MOST_LOOKED_THROUGH = 1000;

/**
 * What an agent may do with its memories: of the subjects given, or of the session alone. A refusal of the store
 * becomes the result that the model reads.
 */
export function memoryTools(
  memories: MemoryStore,
  agentId: string,
  subjects?: readonly [string, ...string[]],
): readonly Tool[] {
  const subjectsIn = (sessionKey: string) => subjects ?? ([sessionSubject(sessionKey)] as const);
  return [
    defineTool({
      name: 'remember',
      description:
        'Keeps one fact for good, over all later conversations with this person (in a group: of this group). Use it when you are asked to remember something, or learn what will matter later.',
      inputSchema: z.object({ fact: z.string().min(1) }),
      async execute({ fact }, { sessionKey }) {
        const [subject] = subjectsIn(sessionKey);
        const { memory, added } = await memories.add({ agentId, subject }, fact, sessionKey);
        return added ? `Kept: ${memory.text}.` : `That is kept already: ${memory.text}.`;
      },
    }),
    defineTool({
      name: 'recall',
      description:
        'Finds what was remembered, by any of its words, the most fitting first; without a query, the newest. Each line ends with its id.',
      inputSchema: z.object({
        query: z.string().optional(),
        limit: z.int().min(1).max(MOST_RECALLED).optional(),
      }),
      async execute({ query = '', limit = 20 }, { sessionKey }) {
        const found = await memories.recall({
          agentId,
          subjects: subjectsIn(sessionKey),
          question: query,
          limit,
        });
        if (found.length > 0) return `Remembered:\n\n${found.map(lineOf).join('\n')}`;
        return query.trim() === ''
          ? 'Nothing has been remembered yet.'
          : 'Nothing that was remembered holds any of these words.';
      },
    }),
    defineTool({
      name: 'forget',
      description:
        'Forgets one remembered fact for good: by the id that recall shows, or by words that only this one holds.',
      inputSchema: z
        .object({ id: z.int().positive().optional(), text: z.string().min(1).optional() })
        .refine(({ id, text }) => (id === undefined) !== (text === undefined), 'expected either id or text'),
      async execute({ id, text = '' }, { sessionKey }) {
        const whose = { agentId, subjects: subjectsIn(sessionKey) };
        if (id !== undefined) return `Forgotten: ${(await memories.forget(id, whose)).text}.`;
        const holding = await memoriesHolding(memories, whose, text);
        const [only, ...others] = holding;
        if (only === undefined)
          return 'Nothing that was remembered holds these words; nothing was forgotten.';
        if (others.length > 0)
          return `Several hold these words; nothing was forgotten. Say which by its id:\n\n${holding.slice(0, MOST_RECALLED).map(lineOf).join('\n')}`;
        return `Forgotten: ${(await memories.forget(only.id, whose)).text}.`;
      },
    }),
  ];
}

/** The agent as it answers this message: it remembers, recalls and forgets for whoever the message's memories are of. */
export function rememberingFor(
  { memories, router }: { readonly memories: MemoryStore; readonly router: Router },
  agent: AgentSpec,
  context: InboundContext,
  session: SpokenIn,
): AgentSpec {
  const subjects = memorySubjects(context, router.route(context).policy, session);
  const theirs = memoryTools(memories, agent.id, subjects);
  const names = new Set(theirs.map(({ name }) => name));
  return { ...agent, tools: [...agent.tools.filter(({ name }) => !names.has(name)), ...theirs] };
}

/** The one that says just this, else all that hold it. */
async function memoriesHolding(
  memories: MemoryStore,
  whose: { readonly agentId: string; readonly subjects: readonly string[] },
  text: string,
): Promise<readonly Memory[]> {
  const wanted = text.trim().toLowerCase();
  const found = await memories.recall({ ...whose, question: text, limit: MOST_LOOKED_THROUGH });
  const exact = found.filter((memory) => memory.text.toLowerCase() === wanted);
  return exact.length > 0 ? exact : found.filter((memory) => memory.text.toLowerCase().includes(wanted));
}

function lineOf({ id, text }: Memory): string {
  return `- ${text.replace(/\s+/g, ' ')} (id ${id})`;
}
