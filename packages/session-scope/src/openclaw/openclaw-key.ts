import { normaliseAgentId } from '../agent-id.js';
import { foldCase, trimSpace } from '../folding.js';

type Chat = 'group' | 'channel' | 'room';

/** Marks that follow a key's base. */
interface Suffixes {
  /** Slack, Discord and Matrix threads, topics of a private Telegram chat. */
  readonly threadId?: string;
  /** The agent's own wake-up in that conversation. */
  readonly heartbeat?: true;
}

/**
 * What an OpenClaw session key says. Ids are as they stand in a key: lower-cased, but for those of Signal groups and
 * Matrix rooms. `agentId` is absent in older keys that begin with `cron:`, `hook:` or `subagent:`.
 */
export type OpenclawKey =
  | { readonly kind: 'global' }
  | { readonly kind: 'unknown' }
  | (Suffixes & { readonly kind: 'main'; readonly agentId: string; readonly mainKey: string })
  | (Suffixes & {
      readonly kind: 'direct';
      readonly agentId: string;
      readonly channel?: string;
      /** Only with a channel. */
      readonly account?: string;
      readonly peerId: string;
    })
  | (Suffixes & {
      readonly kind: 'group';
      readonly agentId: string;
      readonly channel: string;
      readonly chatType: Chat;
      readonly peerId: string;
      /** Telegram's forum topics. */
      readonly topicId?: string;
    })
  | { readonly kind: 'slash'; readonly agentId: string; readonly channel: string; readonly userId: string }
  | { readonly kind: 'cron'; readonly agentId?: string; readonly jobId: string; readonly runId?: string }
  /** From the outermost to the innermost: a sub-agent of a sub-agent has two. */
  | { readonly kind: 'subagent'; readonly agentId?: string; readonly ids: readonly string[] }
  | { readonly kind: 'purpose'; readonly agentId?: string; readonly purpose: Purpose; readonly id: string }
  /** A form that nobody here knows. */
  | { readonly kind: 'other'; readonly agentId: string; readonly rest: string };

const PURPOSES = [
  'hook',
  'acp',
  'acp-bridge',
  'dashboard',
  'explicit',
  'node',
  'voice',
  'openai',
  'openai-user',
] as const;
export type Purpose = (typeof PURPOSES)[number];

const DIRECT: ReadonlySet<string> = new Set(['direct', 'dm']);
/** Older keys of these kinds have no agent in front. */
const AGENTLESS: ReadonlySet<string> = new Set(['cron', 'hook', 'subagent']);
/** Groups of these channels are named by ids that differ in case alone. */
const OPAQUE_CHANNELS: ReadonlySet<string> = new Set(['signal', 'matrix']);

/**
 * Reads a key of any age, in any case; `dm` is `direct`. Undefined for what is no key of OpenClaw's (`main` alone and
 * `telegram:group:1` are: see `canonicalOpenclawKey`). Total: never throws.
 */
export function parseOpenclawKey(text: string): OpenclawKey | undefined {
  const read = readStructure(trimSpace(text));
  if (read === undefined) return undefined;
  const plain = mapIds(read, unescapeId);
  return plain !== read && formatOpenclawKey(plain) === joinKey(read) ? plain : read;
}

/**
 * Writes a key. Ids are taken as they are and should be trimmed, and lower-cased where they are not opaque. Different
 * keys give different texts: where an id would read as another part of the key (`a:thread:b`, an empty one), all ids
 * are written with a `%` in front, `:` as `%3a` and `%` as `%25`, which OpenClaw takes for any other id.
 */
export function formatOpenclawKey(key: OpenclawKey): string {
  const plain = joinKey(key);
  const isRead = sameKey(readStructure(plain), key) && !looksEscaped(key, plain);
  return isRead ? plain : joinKey(mapIds(key, escapeId));
}

/**
 * The one spelling of a key: structural words and ids folded, `direct` for `dm`; a key without `agent:` in front is
 * one of the agent in whose store it lies, but for `global`, `unknown` and the older forms. Idempotent.
 */
export function canonicalOpenclawKey(text: string, owner = 'main'): string {
  const trimmed = trimSpace(text);
  const key = parseOpenclawKey(trimmed);
  if (key !== undefined) return formatOpenclawKey(key);
  const owned = parseOpenclawKey(`agent:${normaliseAgentId(owner)}:${trimmed}`);
  return owned === undefined || trimmed === '' || /^agent:/i.test(trimmed)
    ? foldCase(trimmed)
    : formatOpenclawKey(owned);
}

function readStructure(text: string): OpenclawKey | undefined {
  const folded = foldCase(text);
  if (folded === 'global' || folded === 'unknown') return { kind: folded };
  const words = text.split(':');
  const first = foldCase(words[0] ?? '');
  if (AGENTLESS.has(first)) return readPurpose(first, words.slice(1).map(foldCase), {});
  if (first !== 'agent' || trimSpace(words[1] ?? '') === '' || words.length < 3) return undefined;
  const rest = words.slice(2).join(':');
  if (rest === '') return undefined;
  return readRest(normaliseAgentId(words[1]), rest);
}

function readRest(agentId: string, rest: string): OpenclawKey {
  const { base, ...suffixes } = cutSuffixes(rest);
  const words = base.split(':');
  const [first = '', second = '', third = ''] = words.map(foldCase);
  const from = (index: number) => foldCase(words.slice(index).join(':'));
  const isPlain = suffixes.threadId === undefined && suffixes.heartbeat === undefined;
  if (DIRECT.has(first) && from(1) !== '')
    return { kind: 'direct', agentId, peerId: from(1), ...folded(suffixes) };
  const purpose = readPurpose(first, foldCase(rest).split(':').slice(1), { agentId });
  if (purpose !== undefined) return purpose;
  if (first !== '' && isChat(second) && words.length > 2) {
    const keepsCase = OPAQUE_CHANNELS.has(first);
    const peer = words.slice(2).join(':');
    const group = cutTopic(keepsCase ? peer : foldCase(peer));
    if (group.peerId !== '')
      return {
        kind: 'group',
        agentId,
        channel: first,
        chatType: second,
        ...group,
        ...(keepsCase ? suffixes : folded(suffixes)),
      };
  }
  if (first !== '' && DIRECT.has(second) && from(2) !== '')
    return { kind: 'direct', agentId, channel: first, peerId: from(2), ...folded(suffixes) };
  if (first !== '' && second !== '' && DIRECT.has(third) && from(3) !== '')
    return { kind: 'direct', agentId, channel: first, account: second, peerId: from(3), ...folded(suffixes) };
  if (first !== '' && second === 'slash' && from(2) !== '' && isPlain)
    return { kind: 'slash', agentId, channel: first, userId: from(2) };
  if (words.length === 1 && first !== '')
    return { kind: 'main', agentId, mainKey: first, ...folded(suffixes) };
  return { kind: 'other', agentId, rest: foldCase(rest) };
}

/** Forms that begin with what they are for; their words are folded already. */
function readPurpose(
  first: string,
  words: readonly string[],
  owner: { readonly agentId?: string },
): OpenclawKey | undefined {
  const id = words.join(':');
  if (id === '') return undefined;
  if (first === 'cron') {
    const run = id.lastIndexOf(':run:');
    return run > 0 && run + 5 < id.length
      ? { kind: 'cron', ...owner, jobId: id.slice(0, run), runId: id.slice(run + 5) }
      : { kind: 'cron', ...owner, jobId: id };
  }
  if (first === 'subagent') {
    const ids = id.split(':subagent:');
    return ids.includes('') ? undefined : { kind: 'subagent', ...owner, ids };
  }
  const purpose = PURPOSES.find((name) => name === first);
  return purpose === undefined ? undefined : { kind: 'purpose', ...owner, purpose, id };
}

/** The thread is what follows the last `:thread:`; a heartbeat stands behind everything. */
function cutSuffixes(rest: string): Suffixes & { readonly base: string } {
  const beats = /^(.+):heartbeat$/is.exec(rest)?.[1];
  const whole = beats ?? rest;
  const heartbeat = beats === undefined ? {} : { heartbeat: true as const };
  const at = foldCase(whole).length === whole.length ? foldCase(whole).lastIndexOf(':thread:') : -1;
  const threadId = whole.slice(at + 8);
  if (at <= 0 || threadId === '') return { base: whole, ...heartbeat };
  return { base: whole.slice(0, at), threadId, ...heartbeat };
}

function cutTopic(peer: string): { readonly peerId: string; readonly topicId?: string } {
  const at = foldCase(peer).length === peer.length ? foldCase(peer).lastIndexOf(':topic:') : -1;
  const topicId = peer.slice(at + 7);
  return at <= 0 || topicId === '' ? { peerId: peer } : { peerId: peer.slice(0, at), topicId };
}

function folded(suffixes: Suffixes): Suffixes {
  return suffixes.threadId === undefined ? suffixes : { ...suffixes, threadId: foldCase(suffixes.threadId) };
}

function joinKey(key: OpenclawKey): string {
  if (key.kind === 'global' || key.kind === 'unknown') return key.kind;
  const head = key.agentId === undefined ? [] : ['agent', key.agentId];
  return [...head, ...restOf(key)].join(':');
}

type NamedKey = Exclude<OpenclawKey, { readonly kind: 'global' } | { readonly kind: 'unknown' }>;

function restOf(key: NamedKey): readonly string[] {
  switch (key.kind) {
    case 'main':
      return [key.mainKey, ...suffixesOf(key)];
    case 'direct':
      return [...present(key.channel), ...present(key.account), 'direct', key.peerId, ...suffixesOf(key)];
    case 'group': {
      const topic = key.topicId === undefined ? [] : ['topic', key.topicId];
      return [key.channel, key.chatType, key.peerId, ...topic, ...suffixesOf(key)];
    }
    case 'slash':
      return [key.channel, 'slash', key.userId];
    case 'cron':
      return ['cron', key.jobId, ...(key.runId === undefined ? [] : ['run', key.runId])];
    case 'subagent':
      return key.ids.flatMap((id) => ['subagent', id]);
    case 'purpose':
      return [key.purpose, key.id];
    case 'other':
      return [key.rest];
  }
}

function suffixesOf({ threadId, heartbeat }: Suffixes): readonly string[] {
  return [...(threadId === undefined ? [] : ['thread', threadId]), ...(heartbeat ? ['heartbeat'] : [])];
}

function present(word: string | undefined): readonly string[] {
  return word === undefined ? [] : [word];
}

const FIXED: ReadonlySet<string> = new Set(['kind', 'agentId', 'chatType', 'purpose', 'rest', 'heartbeat']);

/** The key with every id changed; the same object where none did. */
function mapIds(key: OpenclawKey, change: (id: string) => string): OpenclawKey {
  let changed = false;
  const entries = Object.entries(key).map(([name, value]) => {
    if (FIXED.has(name)) return [name, value];
    const after = Array.isArray(value) ? value.map(String).map(change) : change(String(value));
    changed ||= String(after) !== String(value);
    return [name, after];
  });
  return changed ? (Object.fromEntries(entries) as OpenclawKey) : key;
}

function escapeId(id: string): string {
  return `%${id.replaceAll(/[%:]/g, (character) => (character === '%' ? '%25' : '%3a'))}`;
}

function unescapeId(id: string): string {
  if (!id.startsWith('%')) return id;
  return id.slice(1).replaceAll(/%(?:25|3a)/g, (code) => (code === '%25' ? '%' : ':'));
}

/** True for a key whose plain text is the escaped text of another. */
function looksEscaped(key: OpenclawKey, plain: string): boolean {
  const other = mapIds(key, unescapeId);
  return other !== key && formatOpenclawKey(other) === plain;
}

function sameKey(one: OpenclawKey | undefined, other: OpenclawKey): boolean {
  if (one === undefined) return false;
  const fields = (key: OpenclawKey) =>
    JSON.stringify(
      Object.entries(key)
        .filter(([, value]) => value !== undefined)
        .sort(),
    );
  return fields(one) === fields(other);
}

function isChat(word: string): word is Chat {
  return word === 'group' || word === 'channel' || word === 'room';
}
