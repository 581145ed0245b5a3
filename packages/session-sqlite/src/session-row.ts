import { parseAgentKey } from '@x/session-scope';
import type { SessionMeta } from '@x/session-store';
import { keyOrder } from './key-order.js';
import { isWellFormed, wellFormed } from './stored-text.js';
import { isoOf, unixOf } from './unix-time.js';

/** A row of `sessions`, with the highest seq that its messages have. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly channel_name: string;
  readonly summary: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_active_at: number;
  readonly archived_at: number | null;
  readonly deleted_at: number | null;
  readonly message_count: number;
  readonly reset_cutoff_seq: number;
  readonly user_turn_count: number;
  readonly agent_prompt_reinjection_count: number;
  readonly number: number | null;
  readonly agent_id: string | null;
  readonly scope_json: string | null;
  readonly aliases_json: string | null;
  readonly last_seq: number | null;
  readonly active_count: number | null;
  readonly interaction_at: number | null;
  readonly segment_started_at: number | null;
  readonly bin_json: string | null;
  readonly segments_json: string | null;
  readonly attributes_json: string | null;
  readonly revision: number | null;
  readonly unknown_json: string | null;
  readonly seen_updated_at: number | null;
  readonly seen_message_count: number | null;
  readonly seen_cutoff_seq: number | null;
  readonly unindexed_from: number | null;
  readonly top_seq: number | null;
}

/** The columns that a record fills; the first stays as it is once the row is there. */
export const sessionColumns = [
  'chat_id',
  'title',
  'channel_name',
  'summary',
  'created_at',
  'updated_at',
  'last_active_at',
  'archived_at',
  'deleted_at',
  'message_count',
  'reset_cutoff_seq',
  'user_turn_count',
  'agent_prompt_reinjection_count',
  'key_order',
  'agent_id',
  'scope_json',
  'aliases_json',
  'last_seq',
  'active_count',
  'interaction_at',
  'segment_started_at',
  'bin_json',
  'segments_json',
  'attributes_json',
  'revision',
  'unknown_json',
  'seen_updated_at',
  'seen_message_count',
  'seen_cutoff_seq',
] as const;

type SessionValues = Record<(typeof sessionColumns)[number], string | number | Buffer | null>;

const known: { readonly [name in keyof SessionMeta]-?: true } = {
  key: true,
  agentId: true,
  channel: true,
  title: true,
  scope: true,
  aliases: true,
  summary: true,
  createdAt: true,
  updatedAt: true,
  activeAt: true,
  interactionAt: true,
  segmentStartedAt: true,
  archivedAt: true,
  deletedAt: true,
  bin: true,
  messageCount: true,
  activeCount: true,
  lastSeq: true,
  cutoff: true,
  userTurns: true,
  promptInjections: true,
  segments: true,
  attributes: true,
  revision: true,
};

/** A record as columns. What a column cannot say exactly stands in `unknown_json`, with the fields of others. */
export function sessionValues(meta: SessionMeta): SessionValues {
  const exact: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(meta)) if (!(name in known)) exact[name] = value;
  const time = (name: string, iso: string | undefined): number | null => {
    if (iso === undefined) return null;
    const milliseconds = unixOf(iso);
    if (isoOf(milliseconds) !== iso) exact[name] = iso;
    return milliseconds;
  };
  const text = (name: string, value: string): string => {
    if (!isWellFormed(value)) exact[name] = value;
    return wellFormed(value);
  };
  if (meta.title === '') exact.title = '';

  const updatedAt = time('updatedAt', meta.updatedAt);
  const messageCount = rowCount(meta);
  return {
    chat_id: wellFormed(chatIdOf(meta)),
    title: text('title', meta.title ?? ''),
    channel_name: text('channel', meta.channel),
    summary: meta.summary === '' ? null : text('summary', meta.summary),
    created_at: time('createdAt', meta.createdAt),
    updated_at: updatedAt,
    last_active_at: time('activeAt', meta.activeAt),
    archived_at: time('archivedAt', meta.archivedAt),
    deleted_at: time('deletedAt', meta.deletedAt),
    message_count: messageCount,
    reset_cutoff_seq: meta.cutoff,
    user_turn_count: meta.userTurns,
    agent_prompt_reinjection_count: meta.promptInjections,
    key_order: keyOrder(meta.key),
    agent_id: text('agentId', meta.agentId),
    scope_json: meta.scope === undefined ? null : JSON.stringify(meta.scope),
    aliases_json: meta.aliases.length === 0 ? null : JSON.stringify(meta.aliases),
    last_seq: meta.lastSeq,
    active_count: meta.activeCount,
    interaction_at: time('interactionAt', meta.interactionAt),
    segment_started_at: time('segmentStartedAt', meta.segmentStartedAt),
    bin_json: meta.bin === undefined ? null : JSON.stringify(meta.bin),
    segments_json: meta.segments.length === 0 ? null : JSON.stringify(meta.segments),
    attributes_json: Object.keys(meta.attributes).length === 0 ? null : JSON.stringify(meta.attributes),
    revision: meta.revision,
    unknown_json: Object.keys(exact).length === 0 ? null : JSON.stringify(exact),
    seen_updated_at: updatedAt,
    seen_message_count: messageCount,
    seen_cutoff_seq: meta.cutoff,
  };
}

/** `message_count`: PicoBot counts every row that exists, those in the bin too. */
export function rowCount(meta: SessionMeta): number {
  return meta.messageCount + (meta.bin?.count ?? 0);
}

/** The record of a row whose counts are right (`isForeign` is false). */
export function metaOf(row: SessionRow): SessionMeta {
  const key = row.id;
  const bin = row.bin_json === null ? undefined : (JSON.parse(row.bin_json) as SessionMeta['bin']);
  const meta: SessionMeta = {
    key,
    agentId: row.agent_id ?? parseAgentKey(key)?.agentId ?? 'main',
    channel: row.channel_name,
    ...(row.title === '' ? {} : { title: row.title }),
    ...(row.scope_json === null ? {} : { scope: JSON.parse(row.scope_json) }),
    aliases: row.aliases_json === null ? [] : JSON.parse(row.aliases_json),
    summary: row.summary ?? '',
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
    activeAt: isoOf(row.last_active_at),
    ...(row.interaction_at === null ? {} : { interactionAt: isoOf(row.interaction_at) }),
    ...(row.segment_started_at === null ? {} : { segmentStartedAt: isoOf(row.segment_started_at) }),
    ...(row.archived_at === null ? {} : { archivedAt: isoOf(row.archived_at) }),
    ...(row.deleted_at === null ? {} : { deletedAt: isoOf(row.deleted_at) }),
    ...(bin === undefined ? {} : { bin }),
    messageCount: row.message_count - (bin?.count ?? 0),
    activeCount: row.active_count ?? 0,
    lastSeq: row.last_seq ?? 0,
    cutoff: row.reset_cutoff_seq,
    userTurns: row.user_turn_count,
    promptInjections: row.agent_prompt_reinjection_count,
    segments: row.segments_json === null ? [] : JSON.parse(row.segments_json),
    attributes: row.attributes_json === null ? {} : JSON.parse(row.attributes_json),
    revision: row.revision ?? 1,
  };
  return row.unknown_json === null ? meta : { ...meta, ...JSON.parse(row.unknown_json) };
}

/** The record with its fields in the order in which `metaOf` gives them. */
export function inOrder(meta: SessionMeta): SessionMeta {
  const fields = meta as unknown as { readonly [name: string]: unknown };
  const ordered: { [name: string]: unknown } = {};
  for (const name in known) if (name in meta) ordered[name] = fields[name];
  return ordered as unknown as SessionMeta;
}

/** True where PicoBot, or somebody's hand, has changed the session since this program last wrote its record. */
export function isForeign(row: SessionRow): boolean {
  return (
    row.seen_updated_at !== row.updated_at ||
    row.seen_message_count !== row.message_count ||
    row.seen_cutoff_seq !== row.reset_cutoff_seq ||
    (row.top_seq ?? 0) > (row.last_seq ?? 0)
  );
}

/** PicoBot's chat id: the key without the channel before it, or the chat that the scope names. */
function chatIdOf(meta: SessionMeta): string {
  const prefix = `${meta.channel}:`;
  if (meta.key.startsWith(prefix)) return meta.key.slice(prefix.length);
  return meta.scope?.values.chat ?? meta.key;
}
