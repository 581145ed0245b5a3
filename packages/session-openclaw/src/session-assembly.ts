import { parseOpenclawKey, scopeOfOpenclawKey } from '@x/session-scope/openclaw';
import {
  type JsonValue,
  messageOrigin,
  type Segment,
  type SessionMeta,
  type StoredMessage,
} from '@x/session-store';
import { type Finding, finding } from './finding.js';
import type { SessionPlan } from './generation.js';
import { isObject, type JsonObject, textOf } from './json-object.js';
import { templateOf } from './line-template.js';
import { decodeMessage, heldTexts, isMessage, isoTime } from './message-entry.js';
import { updatedAtOf } from './session-index.js';
import type { Transcript } from './transcript.js';
import { transcriptFindings } from './transcript-findings.js';

/** What a message keeps of the transcript that it comes from, as its member `openclaw`. */
export interface KeptLine {
  /** The line, without what the message holds anyway. */
  readonly line: string;
  /** The id that the entry has in its file, where the message could not keep it. */
  readonly id?: string;
  /** The lines above it that are no messages of the branch in use: settings, notes, other branches, damage. */
  readonly before?: readonly string[];
}

/** What a session keeps of its transcripts, in its attribute `openclaw`. */
export interface KeptTranscript {
  readonly sessionId: string;
  /** Empty, with the version 0, where it was not there. */
  readonly file: string;
  readonly version: number;
  /** The last seq that lies in it. */
  readonly lastSeq: number;
  /** Lines behind its last message. */
  readonly after: readonly string[];
  /** Present where its last line has no end. */
  readonly unended?: true;
}

export interface AssembledSession {
  readonly meta: SessionMeta;
  readonly messages: readonly StoredMessage[];
  readonly findings: readonly Finding[];
}

/** The transcripts of a plan in its order; `undefined` for one that is not there. */
export type LoadedTranscripts = readonly (Transcript | undefined)[];

/** Makes a session of an entry and its transcripts. `fileTime` is when the newest of its files was written. Pure. */
export function assembleSession(
  plan: SessionPlan,
  transcripts: LoadedTranscripts,
  fileTime: string,
  now: Date,
): AssembledSession {
  const found: Finding[] = [];
  const messages: StoredMessage[] = [];
  const kept: KeptTranscript[] = [];
  const segments: Segment[] = [];
  const ids = new Set<string>();
  const started =
    startOf(transcripts) ??
    isoTime(plan.entry.sessionStartedAt) ??
    isoTime(updatedAtOf(plan.entry) || '') ??
    fileTime;
  let lines = 0;
  let cutoff = 0;
  let summary = '';
  plan.generations.forEach((generation, index) => {
    const transcript = transcripts[index];
    const first = messages.length;
    cutoff = first;
    summary = '';
    if (transcript === undefined) {
      kept.push({ sessionId: generation.sessionId, file: '', version: 0, lastSeq: first, after: [] });
    } else {
      const after = takeMessages(transcript, started, messages, ids);
      lines += transcript.lines.length;
      const { sessionId, file } = generation;
      const { version, isEnded } = transcript;
      const unended = isEnded ? {} : { unended: true as const };
      kept.push({ sessionId, file, version, lastSeq: messages.length, after, ...unended });
      if (transcript.compaction !== undefined) {
        summary = transcript.compaction.summary;
        cutoff = first + transcript.branch.slice(0, transcript.compaction.keptFrom).filter(isMessage).length;
      }
      found.push(...transcriptFindings(plan.key, generation.path, transcript));
    }
    if (index < plan.generations.length - 1) {
      const { endedAt = messages.at(-1)?.createdAt ?? started, reason = 'reset' } = generation;
      segments.push({ lastSeq: messages.length, endedAt, reason, ...(summary === '' ? {} : { summary }) });
    }
  });
  const times = timesOf(plan, messages, started, fileTime, now, found);
  const active = messages.slice(cutoff);
  const { entry, key, agentId } = plan;
  const title = titleOf(entry, transcripts.at(-1));
  const scope = scopeOfOpenclawKey(key);
  const archivedAt = isoTime(entry.archivedAt);
  const attribute: JsonObject = {
    key: plan.writtenKey,
    agentId,
    position: plan.position,
    entry,
    ...(plan.others.length === 0 ? {} : { others: plan.others as unknown as JsonValue }),
    transcripts: kept as unknown as JsonValue,
  };
  const revision = updatedAtOf(entry) + lines + 1;
  const meta: SessionMeta = {
    key,
    agentId,
    channel: channelOf(key, entry),
    ...(title === '' ? {} : { title }),
    ...(scope === undefined ? {} : { scope }),
    aliases: plan.aliases,
    summary,
    ...times,
    ...(active.length === 0
      ? {}
      : { segmentStartedAt: isoTime(entry.sessionStartedAt) ?? active[0]?.createdAt ?? started }),
    ...(archivedAt === undefined ? {} : { archivedAt }),
    messageCount: messages.length,
    activeCount: active.length,
    lastSeq: messages.length,
    cutoff,
    userTurns: messages.slice(segments.at(-1)?.lastSeq ?? 0).filter(({ role }) => role === 'user').length,
    promptInjections: 0,
    segments,
    attributes: {
      ...(entry.pinned === true || typeof entry.pinnedAt === 'number' ? { pinned: true } : {}),
      openclaw: { ...attribute, revision },
    },
    revision,
  };
  return { meta, messages, findings: found };
}

/** Appends the messages of the branch in use; returns the lines behind the last of them. */
function takeMessages(
  transcript: Transcript,
  fallbackTime: string,
  messages: StoredMessage[],
  ids: Set<string>,
): readonly string[] {
  const onBranch = new Map(transcript.branch.filter(isMessage).map((entry) => [entry.line, entry]));
  let above: string[] = [];
  transcript.lines.forEach((line, index) => {
    const entry = onBranch.get(index);
    if (entry === undefined) {
      above.push(line);
      return;
    }
    const id = uniqueId(ids, entry.id, index + 1);
    const message = decodeMessage(entry.value, fallbackTime);
    const keptLine: KeptLine = {
      line: templateOf(line, heldTexts(message)),
      ...(id === entry.id ? {} : { id: entry.id }),
      ...(above.length === 0 ? {} : { before: above }),
    };
    above = [];
    messages.push({ ...message, id, seq: messages.length + 1, ...{ openclaw: keptLine } });
  });
  return above;
}

/** Ids are short and unlike: those of two transcripts may be the same, and a stranger's may be anything. */
function uniqueId(ids: Set<string>, written: string, line: number): string {
  const isUsable = written !== '' && written.length <= 200 && !/\0|\p{Surrogate}/u.test(written);
  let id = isUsable ? written : `line-${line}`;
  while (ids.has(id)) id = `${id}/${ids.size + 1}`;
  ids.add(id);
  return id;
}

function startOf(transcripts: LoadedTranscripts): string | undefined {
  const header = transcripts.find((transcript) => transcript?.header !== undefined)?.header;
  return isoTime(header?.timestamp);
}

type Times = Pick<SessionMeta, 'createdAt' | 'updatedAt' | 'activeAt' | 'interactionAt'>;

function timesOf(
  plan: SessionPlan,
  messages: readonly StoredMessage[],
  started: string,
  fileTime: string,
  now: Date,
  found: Finding[],
): Times {
  const { entry, key, path } = plan;
  /** A day ahead is no clock that runs fast. */
  const latest = now.getTime() + 24 * 60 * 60 * 1000;
  const believed = (name: string): string | undefined => {
    const value = entry[name];
    if (value === undefined || value === null) return undefined;
    const time = typeof value === 'number' && value > 0 && value <= latest ? isoTime(value) : undefined;
    if (time === undefined) {
      const message = `${key}: ${name} is ${JSON.stringify(value)}, which is no time that has been; told from the transcript.`;
      found.push(finding('invalid-time', path, message, { key }));
    }
    return time;
  };
  const last = messages.at(-1)?.createdAt;
  const sessionStart = believed('sessionStartedAt');
  const updatedAt = believed('updatedAt') ?? last ?? fileTime;
  const createdAt = [sessionStart, messages[0]?.createdAt, started]
    .filter((time) => time !== undefined)
    .sort()[0];
  const person = messages.findLast((message) => messageOrigin(message) === 'person')?.createdAt;
  const interactionAt = believed('lastInteractionAt') ?? person;
  return {
    createdAt: createdAt ?? started,
    updatedAt,
    activeAt: last ?? updatedAt,
    ...(interactionAt === undefined ? {} : { interactionAt }),
  };
}

function titleOf(entry: JsonObject, transcript: Transcript | undefined): string {
  const named = transcript?.branch.findLast(({ type }) => type === 'session_info')?.value.name;
  const titles = [entry.label, named, entry.subject, entry.groupChannel, entry.displayName];
  return titles.map(textOf).find((title) => title !== '') ?? '';
}

function channelOf(key: string, entry: JsonObject): string {
  const parsed = parseOpenclawKey(key);
  if (parsed !== undefined && 'channel' in parsed && parsed.channel !== undefined) return parsed.channel;
  const origin = isObject(entry.origin) ? entry.origin.provider : undefined;
  const names = [entry.channel, entry.provider, entry.lastChannel, entry.lastProvider, origin];
  return names.map(textOf).find((name) => name !== '') ?? 'unknown';
}
