import { encodeScope, sessionScopeSchema } from '@x/session-scope';
import { type JsonValue, newMeta, type SessionMeta } from '@x/session-store';
import { z } from 'zod';
import type { LogShape } from './log-shape.js';
import { isObject, utcTime } from './message-line.js';

/*
 * `{name}.meta.json`: PicoClaw's fields in PicoClaw's order, then other programs' as they were, then ours in one
 * object. PicoClaw drops ours when it writes; what can be told from its own fields and the history is then told anew.
 */

const text = z.string();
const count = z.number().int().min(0);
const jsonObject = z.record(z.string(), z.json());
const segmentSchema = z.object({
  last_seq: count,
  ended_at: text,
  reason: text.optional(),
  summary: text.optional(),
});
const segments = z.array(segmentSchema);

const ownSchema = z.object({
  version: z.literal(1),
  agent_id: text,
  channel: text,
  title: text.optional(),
  /** Kept here while the session is deleted, since PicoClaw must not see it. */
  summary: text.optional(),
  created_at: text,
  updated_at: text,
  active_at: text,
  interaction_at: text.optional(),
  segment_started_at: text.optional(),
  archived_at: text.optional(),
  deleted_at: text.optional(),
  bin: z
    .object({
      through_seq: count,
      count,
      deleted_at: text,
      title: text.optional(),
      segments,
      attributes: jsonObject,
    })
    .optional(),
  message_count: count,
  active_count: count,
  last_seq: count,
  cutoff: count,
  user_turns: count,
  prompt_injections: count,
  segments,
  attributes: jsonObject,
  revision: count,
  /** Of the aliases listed, those that belong to another session. */
  refused_aliases: z.array(text).optional(),
  /** The key was taken from the file's name, since there was no metadata. */
  named_by_file: z.boolean().optional(),
  log: z.object({
    size: count,
    lines: count,
    hidden: count,
    tail_seq: count,
    explicit: z.boolean(),
    regular: z.boolean(),
    tail: z.enum(['clean', 'open', 'excess']),
    /** PicoClaw's `skip` as it was written: another value means that another program has truncated. */
    skip: count,
    untimed_at: text,
  }),
});

/** What a metadata file says. */
export interface StoredMeta {
  readonly meta: SessionMeta;
  /** PicoClaw's `skip`, as the file has it. */
  readonly skip: number;
  /** The history that the record speaks of; undefined where another program wrote the file last. */
  readonly log: LogShape | undefined;
  /** The time of lines that carry none. */
  readonly untimedAt: string;
  readonly namedByFile: boolean;
  /** Of the aliases listed, those that belong to another session. */
  readonly refused: readonly string[];
  /** Fields of other programs. */
  readonly others: { readonly [name: string]: JsonValue };
}

/** Undefined where the text is not the metadata of a session. `fallbackAt`: for times that it does not tell. */
export function decodeMeta(content: string, nameKey: string, fallbackAt: string): StoredMeta | undefined {
  let record: unknown;
  try {
    record = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const {
    key: givenKey,
    summary,
    skip,
    count: _lines,
    created_at,
    updated_at,
    scope: rawScope,
    aliases,
    holdfast,
    ...fields
  } = record;
  const key = typeof givenKey === 'string' && givenKey !== '' ? givenKey : nameKey;
  const updatedAt = utcTime(updated_at) ?? utcTime(created_at) ?? fallbackAt;
  const createdAt = utcTime(created_at) ?? updatedAt;
  const scope = sessionScopeSchema.safeParse(rawScope);
  // A scope of a kind that is not known here stays what it is.
  const others = scope.success || rawScope === undefined ? fields : { ...fields, scope: rawScope };
  const told: SessionMeta = {
    ...newMeta(key, scope.success ? { scope: scope.data } : {}, createdAt),
    aliases: Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [],
    summary: typeof summary === 'string' ? summary : '',
    updatedAt,
    activeAt: updatedAt,
  };
  const skipped = typeof skip === 'number' && Number.isSafeInteger(skip) && skip > 0 ? skip : 0;
  const own = ownSchema.safeParse(holdfast);
  if (!own.success) {
    return {
      meta: told,
      skip: skipped,
      log: undefined,
      untimedAt: createdAt,
      namedByFile: false,
      refused: [],
      others,
    };
  }
  const { log } = own.data;
  return {
    meta: { ...told, ...decodeOwn(own.data), summary: own.data.summary ?? told.summary },
    skip: skipped,
    log:
      log.skip === skipped
        ? {
            size: log.size,
            lines: log.lines,
            hidden: log.hidden,
            tailSeq: log.tail_seq,
            explicit: log.explicit,
            regular: log.regular,
            tail: log.tail,
          }
        : undefined,
    untimedAt: log.untimed_at,
    namedByFile: own.data.named_by_file === true,
    refused: own.data.refused_aliases ?? [],
    others,
  };
}

function decodeOwn(
  own: z.infer<typeof ownSchema>,
): Omit<SessionMeta, 'key' | 'aliases' | 'summary' | 'scope'> {
  const { bin } = own;
  return {
    agentId: own.agent_id,
    channel: own.channel,
    ...(own.title === undefined ? {} : { title: own.title }),
    createdAt: own.created_at,
    updatedAt: own.updated_at,
    activeAt: own.active_at,
    ...(own.interaction_at === undefined ? {} : { interactionAt: own.interaction_at }),
    ...(own.segment_started_at === undefined ? {} : { segmentStartedAt: own.segment_started_at }),
    ...(own.archived_at === undefined ? {} : { archivedAt: own.archived_at }),
    ...(own.deleted_at === undefined ? {} : { deletedAt: own.deleted_at }),
    ...(bin === undefined
      ? {}
      : {
          bin: {
            throughSeq: bin.through_seq,
            count: bin.count,
            deletedAt: bin.deleted_at,
            ...(bin.title === undefined ? {} : { title: bin.title }),
            segments: bin.segments.map(decodeSegment),
            attributes: bin.attributes,
          },
        }),
    messageCount: own.message_count,
    activeCount: own.active_count,
    lastSeq: own.last_seq,
    cutoff: own.cutoff,
    userTurns: own.user_turns,
    promptInjections: own.prompt_injections,
    segments: own.segments.map(decodeSegment),
    attributes: own.attributes,
    revision: own.revision,
  };
}

function decodeSegment(segment: z.infer<typeof segmentSchema>): SessionMeta['segments'][number] {
  const { last_seq: lastSeq, ended_at: endedAt, reason, summary } = segment;
  return {
    lastSeq,
    endedAt,
    ...(reason === undefined ? {} : { reason }),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** The file's text. A deleted session shows PicoClaw nothing: all lines skipped, no summary. */
export function encodeMeta(
  meta: SessionMeta,
  log: LogShape,
  about: Pick<StoredMeta, 'untimedAt' | 'namedByFile' | 'refused' | 'others'>,
): string {
  const isDeleted = meta.deletedAt !== undefined;
  const skip = isDeleted ? log.lines : log.hidden;
  const own: z.infer<typeof ownSchema> = {
    version: 1,
    agent_id: meta.agentId,
    channel: meta.channel,
    title: meta.title,
    summary: isDeleted ? meta.summary : undefined,
    created_at: meta.createdAt,
    updated_at: meta.updatedAt,
    active_at: meta.activeAt,
    interaction_at: meta.interactionAt,
    segment_started_at: meta.segmentStartedAt,
    archived_at: meta.archivedAt,
    deleted_at: meta.deletedAt,
    bin:
      meta.bin === undefined
        ? undefined
        : {
            through_seq: meta.bin.throughSeq,
            count: meta.bin.count,
            deleted_at: meta.bin.deletedAt,
            title: meta.bin.title,
            segments: meta.bin.segments.map(encodeSegment),
            attributes: meta.bin.attributes as { [name: string]: z.core.util.JSONType },
          },
    message_count: meta.messageCount,
    active_count: meta.activeCount,
    last_seq: meta.lastSeq,
    cutoff: meta.cutoff,
    user_turns: meta.userTurns,
    prompt_injections: meta.promptInjections,
    segments: meta.segments.map(encodeSegment),
    attributes: meta.attributes as { [name: string]: z.core.util.JSONType },
    revision: meta.revision,
    refused_aliases: about.refused.length === 0 ? undefined : [...about.refused],
    named_by_file: about.namedByFile ? true : undefined,
    log: {
      size: log.size,
      lines: log.lines,
      hidden: log.hidden,
      tail_seq: log.tailSeq,
      explicit: log.explicit,
      regular: log.regular,
      tail: log.tail,
      skip,
      untimed_at: about.untimedAt,
    },
  };
  const { scope: unknownScope, ...others } = about.others;
  const record = {
    key: meta.key,
    summary: isDeleted ? '' : meta.summary,
    skip,
    count: log.lines,
    created_at: meta.createdAt,
    updated_at: meta.updatedAt,
    scope: meta.scope === undefined ? unknownScope : encodeScope(meta.scope),
    ...(meta.aliases.length === 0 ? {} : { aliases: meta.aliases }),
    ...others,
    holdfast: own,
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

function encodeSegment(segment: SessionMeta['segments'][number]): z.infer<typeof segmentSchema> {
  return {
    last_seq: segment.lastSeq,
    ended_at: segment.endedAt,
    reason: segment.reason,
    summary: segment.summary,
  };
}
