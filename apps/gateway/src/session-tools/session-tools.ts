import { setTimeout as pause } from 'node:timers/promises';
import { defineTool, type Tool } from '@x/agent-runtime';
import { messageOrigin, type SessionBackend, type SessionMeta, type StoredMessage } from '@x/session-store';
import { z } from 'zod';
import { shownText } from '../chat-commands/notice.js';
import { type ReceivingHouse, receive } from '../receive.js';
import { findSession } from '../session-place.js';
import { surfaceContext } from '../surface-context.js';
import { isInReach, type SessionReach } from './session-reach.js';

const MOST_LISTED = 50;
const MOST_READ = 50;
const PAGE = 200;
/** The newest sessions; older ones are found by part of their title. */
const MOST_LOOKED_THROUGH = 2000;
/** Of one message: what is longer is cut, and said to be. */
const MOST_CHARACTERS = 4000;
/** A message that came from a session may be passed on so often: two agents that answer each other come to an end. */
const MOST_HOPS = 3;
const LONGEST_WAIT_SECONDS = 300;

const nameOf = z.string().min(1).max(1024).describe('Its key, an alias or its name.');

/** Lets an agent look into other sessions and speak to them, as far as `reach` goes; no tools at all for `none`. */
export function sessionTools(reach: SessionReach, house: () => ReceivingHouse): readonly Tool[] {
  if (reach === 'none') return [];

  async function here(sessionKey: string): Promise<SessionMeta> {
    const meta = await house().backend.meta(sessionKey);
    if (meta === undefined) throw new Error('This session is gone.');
    return meta;
  }
  /** One that is out of reach is told like one that is not there. */
  async function named(name: string, sessionKey: string): Promise<SessionMeta> {
    const found = await findSession(house().backend, name);
    if (found !== undefined && isInReach(reach, await here(sessionKey), found)) return found;
    throw new Error(
      `There is no session ${JSON.stringify(name)} that you may see. sessions_list lists those.`,
    );
  }

  return [
    defineTool({
      name: 'sessions_list',
      description: 'Lists the conversations that you may look into, newest first.',
      inputSchema: z.object({
        text: z.string().max(200).optional().describe('Part of the title.'),
        limit: z.int().min(1).max(MOST_LISTED).default(20),
      }),
      async execute({ text, limit }, { sessionKey }) {
        const from = await here(sessionKey);
        const sessions = await reachable(house().backend, reach, from, text, limit);
        return {
          reach,
          sessions: sessions.map((meta) => ({
            key: meta.key,
            title: meta.title ?? null,
            channel: meta.channel,
            agent_id: meta.agentId,
            message_count: meta.messageCount,
            active_at: meta.activeAt,
            is_this_one: meta.key === sessionKey,
          })),
        };
      },
    }),
    defineTool({
      name: 'sessions_read',
      description:
        'Reads what was said in a conversation, in the order it was said: the newest, or those before a seq.',
      inputSchema: z.object({
        session: nameOf,
        before: z.int().min(1).optional().describe('Only messages with a smaller seq.'),
        limit: z.int().min(1).max(MOST_READ).default(20),
        include_tools: z.boolean().default(false).describe('Tool calls and their results as well.'),
      }),
      async execute({ session, before, limit, include_tools: withTools }, { sessionKey }) {
        const meta = await named(session, sessionKey);
        const newest = await house().backend.read(meta.key, {
          segment: 'all',
          order: 'desc',
          limit: limit + 1,
          ...(before !== undefined && { before }),
        });
        const shown = newest.slice(0, limit).toReversed();
        return {
          session: meta.key,
          messages: shown.filter((message) => withTools || isSpoken(message)).map(viewRead),
          has_more: newest.length > limit,
          ...(shown[0] !== undefined && { before: shown[0].seq }),
        };
      },
    }),
    defineTool({
      name: 'sessions_send',
      description:
        'Says something in another conversation, to the agent there, and waits for its answer. It is marked as coming from you, not from a person.',
      inputSchema: z.object({
        session: nameOf,
        text: z.string().min(1).max(100_000),
        wait_seconds: z
          .number()
          .min(0)
          .max(LONGEST_WAIT_SECONDS)
          .default(60)
          .describe('0: do not wait for the answer.'),
      }),
      async execute({ session, text, wait_seconds: seconds }, { sessionKey, signal }) {
        const to = await named(session, sessionKey);
        if (to.key === sessionKey) throw new Error('This is the conversation that you are in: answer here.');
        const from = await here(sessionKey);
        const hops = (await hopsOf(house().backend, sessionKey)) + 1;
        if (hops > MOST_HOPS)
          throw new Error(`This has been passed on ${MOST_HOPS} times already. Answer with what you have.`);
        const turn = await receive(house(), {
          context: surfaceContext('web'),
          session: to.key,
          text,
          meta: { origin: 'agent', from_session: sessionKey, from_agent: from.agentId, hops },
        });
        await turn.accepted;
        if (seconds === 0) return { session: to.key, state: 'accepted' };
        const outcome = await Promise.race([
          turn.outcome,
          pause(seconds * 1000, undefined, { signal, ref: false }),
        ]);
        if (outcome === undefined) return { session: to.key, state: 'running' };
        return { session: to.key, state: outcome.status, reply: outcome.reply };
      },
    }),
  ];
}

async function reachable(
  backend: SessionBackend,
  reach: SessionReach,
  from: SessionMeta,
  text: string | undefined,
  limit: number,
): Promise<readonly SessionMeta[]> {
  const query = {
    limit: PAGE,
    ...(text !== undefined && { text }),
    ...(reach === 'agent' && { agentId: from.agentId }),
  };
  const found: SessionMeta[] = [];
  let cursor: string | undefined;
  for (let seen = 0; seen < MOST_LOOKED_THROUGH && found.length < limit; seen += PAGE) {
    const page = await backend.list(query, cursor);
    found.push(...page.sessions.filter((meta) => isInReach(reach, from, meta)));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return found.slice(0, limit);
}

/** How often the words that this turn answers were passed on before. */
async function hopsOf(backend: SessionBackend, sessionKey: string): Promise<number> {
  const newest = await backend.read(sessionKey, { order: 'desc', limit: 200 });
  const asked = newest.find(({ role }) => role === 'user');
  return asked !== undefined && messageOrigin(asked) === 'agent' ? Number(asked.meta?.hops ?? 0) : 0;
}

function isSpoken({ role, toolCalls = [] }: StoredMessage): boolean {
  return role === 'user' || (role === 'assistant' && toolCalls.length === 0);
}

function viewRead(message: StoredMessage) {
  const text = shownText(message);
  const isCut = text.length > MOST_CHARACTERS;
  return {
    seq: message.seq,
    role: message.role,
    created_at: message.createdAt,
    text: isCut ? text.slice(0, MOST_CHARACTERS) : text,
    ...(isCut && { is_cut: true, characters: text.length }),
    ...(message.toolCalls !== undefined && {
      tool_calls: message.toolCalls.map(({ name, arguments: text }) => ({ name, arguments: text })),
    }),
    ...(message.toolName !== undefined && { tool_name: message.toolName }),
  };
}
