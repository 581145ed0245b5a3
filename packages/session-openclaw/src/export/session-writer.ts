import { createHash } from 'node:crypto';
import { mainSessionKey, normaliseAgentId } from '@x/session-scope';
import { openclawKeyOfScope, parseOpenclawKey } from '@x/session-scope/openclaw';
import type { SessionMeta, StoredMessage } from '@x/session-store';
import type { OtherEntry } from '../generation.js';
import { type JsonObject, textOf } from '../json-object.js';
import type { KeptTranscript } from '../session-assembly.js';
import { isSafeSessionId } from '../session-index.js';
import { type KeptSession, keptSession } from './kept-session.js';
import type { WrittenSegment } from './transcript-writer.js';

/** A session as files and an entry of OpenClaw's. */
export interface WrittenSession {
  readonly agentId: string;
  /** Its key there. */
  readonly key: string;
  readonly entry: JsonObject;
  /** Its place in the index, where it had one. */
  readonly position: number;
  /** Further entries that were this session as well. */
  readonly others: readonly OtherEntry[];
  /** Oldest first; the last is the current one. */
  readonly files: readonly WrittenFile[];
  /** It came from OpenClaw and is as it was. */
  readonly isUnchanged: boolean;
  /** Ids of all its transcripts. */
  readonly sessionIds: readonly string[];
}

export interface WrittenFile {
  readonly name: string;
  readonly segment: WrittenSegment;
  /** The name that it had while it was the current one. */
  readonly formerName?: string;
}

/** What a session is in OpenClaw's way. Pure: the same session gives the same files. */
export function writeSession(meta: SessionMeta, messages: readonly StoredMessage[]): WrittenSession {
  const kept = keptSession(meta);
  const key = kept?.key ?? openclawKeyOf(meta);
  const ends = [...meta.segments.map(({ lastSeq }) => lastSeq), meta.lastSeq];
  const files: WrittenFile[] = [];
  const sessionIds: string[] = [];
  let currentFile = '';
  ends.forEach((end, index) => {
    const start = ends[index - 1] ?? 0;
    const part = messages.filter(({ seq }) => seq > start && seq <= end);
    const isCurrent = index === ends.length - 1;
    const own = keptOf(kept, index, start, end, isCurrent);
    const sessionId = own?.sessionId ?? sessionIdOf(key, index);
    sessionIds.push(sessionId);
    const segment = meta.segments[index];
    const written: WrittenSegment = {
      sessionId,
      startedAt: part[0]?.createdAt ?? meta.createdAt,
      messages: part,
      kept: own,
      ...(isCurrent
        ? {
            cut: {
              hidden: part.filter(({ seq }) => seq <= meta.cutoff).length,
              summary: meta.summary,
              at: meta.updatedAt,
            },
          }
        : {}),
    };
    const plainName = fileName(own, sessionId, isCurrent && !isUnchanged(meta, kept));
    const name = isCurrent ? plainName : archiveName(plainName, segment?.endedAt ?? meta.updatedAt);
    if (isCurrent) currentFile = name;
    files.push({ name, segment: written, ...(name === plainName ? {} : { formerName: plainName }) });
  });
  return {
    agentId: kept?.agentId ?? agentOf(meta, key),
    key,
    entry: entryOf(meta, kept, sessionIds, currentFile),
    position: kept?.position ?? Number.MAX_SAFE_INTEGER,
    others: kept?.others ?? [],
    isUnchanged: isUnchanged(meta, kept),
    files,
    sessionIds,
  };
}

/** The name that the transcript had. One that was put away and is spoken to again is a transcript in use. */
function fileName(own: KeptTranscript | undefined, sessionId: string, isInUse: boolean): string {
  const file = own?.file ?? '';
  if (file !== '' && (file.endsWith('.jsonl') || !isInUse)) return file;
  return `${isSafeSessionId(sessionId) ? sessionId : sessionIdOf(sessionId, 0)}.jsonl`;
}

function isUnchanged(meta: SessionMeta, kept: KeptSession | undefined): boolean {
  return kept !== undefined && kept.revision === meta.revision;
}

/** The transcript that a segment was, where it still is that or has gone on from it. */
function keptOf(
  kept: KeptSession | undefined,
  index: number,
  start: number,
  end: number,
  isCurrent: boolean,
) {
  const transcript = kept?.transcripts[index];
  if (transcript === undefined) return undefined;
  const wasLast = index === (kept?.transcripts.length ?? 0) - 1;
  const begins = (kept?.transcripts[index - 1]?.lastSeq ?? 0) === start;
  return begins && transcript.lastSeq <= end && (wasLast || (!isCurrent && transcript.lastSeq === end))
    ? transcript
    : undefined;
}

/** `<id>.jsonl.reset.<time>`, as OpenClaw names what a reset has closed. */
function archiveName(name: string, endedAt: string): string {
  return name.endsWith('.jsonl') ? `${name}.reset.${endedAt.replaceAll(':', '-')}` : name;
}

/** The same id whenever the session is written. */
function sessionIdOf(key: string, index: number): string {
  const digits = createHash('sha256').update(`${index}:${key}`).digest('hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join('-');
}

function openclawKeyOf(meta: SessionMeta): string {
  const { agentId, key, aliases, scope } = meta;
  if (key === mainSessionKey(agentId)) return `agent:${normaliseAgentId(agentId)}:main`;
  if (parseOpenclawKey(key) !== undefined) return key;
  const named = aliases.find((alias) => {
    const parsed = parseOpenclawKey(alias);
    return parsed?.kind === 'direct' || parsed?.kind === 'group';
  });
  const scoped = scope === undefined ? undefined : openclawKeyOfScope(scope);
  const isMain = scoped !== undefined && parseOpenclawKey(scoped)?.kind === 'main';
  if (scoped !== undefined && !isMain) return scoped;
  return named ?? `agent:${normaliseAgentId(agentId)}:explicit:${key.toLowerCase()}`;
}

function agentOf({ agentId }: SessionMeta, key: string): string {
  const parsed = parseOpenclawKey(key);
  const named = parsed !== undefined && 'agentId' in parsed ? parsed.agentId : undefined;
  return named ?? normaliseAgentId(agentId);
}

function entryOf(
  meta: SessionMeta,
  kept: KeptSession | undefined,
  sessionIds: readonly string[],
  file: string,
): JsonObject {
  if (kept !== undefined && isUnchanged(meta, kept) && textOf(kept.entry.sessionId) !== '') return kept.entry;
  const { archivedAt: _old, sessionFile: _path, usageFamilySessionIds: _ids, ...before } = kept?.entry ?? {};
  const sessionId = sessionIds.at(-1) ?? '';
  const earlier = sessionIds.slice(0, -1);
  const parsed = parseOpenclawKey(kept?.key ?? openclawKeyOf(meta));
  const chatType = parsed?.kind === 'group' ? parsed.chatType : 'direct';
  return {
    ...(kept === undefined ? { chatType, channel: meta.channel } : before),
    sessionId,
    updatedAt: Date.parse(meta.updatedAt),
    ...(file === `${sessionId}.jsonl` ? {} : { sessionFile: file }),
    ...(earlier.length === 0 ? {} : { usageFamilySessionIds: [...earlier, sessionId] }),
    ...milliseconds('sessionStartedAt', meta.segmentStartedAt),
    ...milliseconds('lastInteractionAt', meta.interactionAt),
    ...milliseconds('archivedAt', meta.archivedAt),
    ...(meta.title === undefined ? {} : { label: meta.title }),
  };
}

function milliseconds(name: string, time: string | undefined): JsonObject {
  return time === undefined ? {} : { [name]: Date.parse(time) };
}
