import { normaliseAgentId } from './agent-id.js';
import { normaliseText } from './folding.js';

/** What an older `agent:<id>:…` key tells of its session. */
export interface AgentKey {
  readonly agentId: string;
  /** Everything after the agent, lower-cased. */
  readonly rest: string;
  readonly channel?: string;
  readonly account?: string;
  /** `direct` (also for the older `dm`), `group`, `channel` … */
  readonly chatType?: string;
  /** The person of a direct chat, else the chat; it may hold `:` and, for PicoClaw's topics, `/`. */
  readonly peerId?: string;
}

const DIRECT: ReadonlySet<string> = new Set(['direct', 'dm']);
const CHAT_TYPES: ReadonlySet<string> = new Set([...DIRECT, 'group', 'channel', 'room', 'unknown']);
/** First words that name a purpose and not a channel: jobs, hooks, sub-agents. */
const PURPOSES: ReadonlySet<string> = new Set(['main', 'cron', 'hook', 'subagent', 'acp']);

/** Reads an older key; undefined when the text is none. Total: never throws. */
export function parseAgentKey(text: string): AgentKey | undefined {
  const match = /^agent:([^:]+):(.+)$/s.exec(normaliseText(text));
  const [, agent, rest] = match ?? [];
  if (agent === undefined || rest === undefined || normaliseText(agent) === '') return undefined;
  return { agentId: normaliseAgentId(agent), rest, ...peerOf(rest.split(':')) };
}

function peerOf(words: readonly string[]): Partial<AgentKey> {
  const [first = '', second = '', third = ''] = words;
  if (DIRECT.has(first)) return peer({ chatType: first }, words.slice(1));
  if (first === '' || PURPOSES.has(first)) return {};
  if (CHAT_TYPES.has(second)) return peer({ channel: first, chatType: second }, words.slice(2));
  if (DIRECT.has(third)) return peer({ channel: first, account: second, chatType: third }, words.slice(3));
  if (words.length >= 3) return peer({ channel: first, chatType: second }, words.slice(2));
  return {};
}

type Place = { readonly channel?: string; readonly account?: string; readonly chatType: string };

function peer(place: Place, words: readonly string[]): Partial<AgentKey> {
  const peerId = words.join(':');
  if (peerId === '' || place.account === '' || place.chatType === '') return {};
  return { ...place, chatType: place.chatType === 'dm' ? 'direct' : place.chatType, peerId };
}
