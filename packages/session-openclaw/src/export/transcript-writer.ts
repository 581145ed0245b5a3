import { isDeepStrictEqual } from 'node:util';
import type { StoredMessage } from '@x/session-store';
import { isObject, type JsonObject, parseObject, textOf } from '../json-object.js';
import { fillTemplate } from '../line-template.js';
import { decodeMessage, encodeMessage, heldTexts, isMessage } from '../message-entry.js';
import type { KeptTranscript } from '../session-assembly.js';
import { readTranscript } from '../transcript.js';
import { joinLines } from '../transcript-lines.js';
import { keptLine } from './kept-session.js';

/** One segment of a session, to be a transcript. */
export interface WrittenSegment {
  readonly sessionId: string;
  readonly startedAt: string;
  readonly messages: readonly StoredMessage[];
  /** The transcript that it was, where it was one. */
  readonly kept: KeptTranscript | undefined;
  /** What of it a model may still see; absent for a closed one. */
  readonly cut?: { readonly hidden: number; readonly summary: string; readonly at: string };
}

const VERSION = 3;

/**
 * The bytes of a transcript. What came from one and is as it was stands there byte for byte; what was said since
 * follows it. OpenClaw's way of reading, applied to the result, gives these messages and this cut.
 */
export function writeTranscript(segment: WrittenSegment): Buffer {
  const faithful = withLeaf(segment, linesOf(segment));
  const lines = reads(segment, faithful) ? faithful : chainOf(segment);
  const all = withCut(segment, lines);
  const isUntouched = all.length === linesOf(segment).length && !hasGoneOn(segment);
  return joinLines({ lines: all, isEnded: !(isUntouched && segment.kept?.unended === true) });
}

function hasGoneOn({ kept, messages }: WrittenSegment): boolean {
  return kept === undefined || (messages.at(-1)?.seq ?? 0) > kept.lastSeq;
}

/** The lines as they were, and those of newer messages behind them. */
function linesOf(segment: WrittenSegment): readonly string[] {
  const { kept, messages } = segment;
  const lines: string[] = [];
  let isOver = false;
  const leave = () => {
    if (!isOver) lines.push(...(kept?.after ?? []));
    isOver = true;
  };
  for (const message of messages) {
    if (kept === undefined || message.seq > kept.lastSeq) leave();
    const own = ownLine(message);
    lines.push(...(keptLine(message)?.before ?? []));
    lines.push(own ?? newLine(message, lines));
  }
  leave();
  const isHeaded = parseObject(lines.find((line) => line.trim() !== '') ?? '')?.type === 'session';
  if (isHeaded && (kept?.version ?? VERSION) > VERSION) return [headerOf(segment), ...lines.slice(1)];
  return isHeaded || lines.length === 0 || kept?.version === 1 || wasHeadless(segment)
    ? lines
    : [headerOf(segment), ...lines];
}

/** A transcript that lacked its header is given back as it was, unless something was added. */
function wasHeadless(segment: WrittenSegment): boolean {
  const first = segment.messages[0];
  return !hasGoneOn(segment) && first !== undefined && keptLine(first)?.before?.length === 0;
}

function headerOf({ sessionId, startedAt }: WrittenSegment): string {
  return JSON.stringify({ type: 'session', version: VERSION, id: sessionId, timestamp: startedAt, cwd: '/' });
}

/** The line from which a message came, where it still says what the message says. */
function ownLine(message: StoredMessage): string | undefined {
  const kept = keptLine(message);
  if (kept === undefined) return undefined;
  const line = fillTemplate(kept.line, heldTexts(message));
  const value = parseObject(line);
  return value !== undefined && isSameMessage(message, value) ? line : undefined;
}

function isSameMessage(message: StoredMessage, value: JsonObject): boolean {
  const { id: _id, seq: _seq, ...said } = message;
  const { openclaw: _kept, ...rest } = said as typeof said & { readonly openclaw?: unknown };
  return isDeepStrictEqual(rest, decodeMessage(value, message.createdAt));
}

function newLine(message: StoredMessage, lines: readonly string[]): string {
  const leaf = leafOf(lines);
  return JSON.stringify(entryOf(message, leaf));
}

function entryOf(message: StoredMessage, parentId: string | null): JsonObject {
  const { type, ...rest } = encodeMessage(message);
  return { type: type ?? 'message', id: entryId(message), parentId, timestamp: message.createdAt, ...rest };
}

function entryId(message: StoredMessage): string {
  return keptLine(message)?.id ?? message.id;
}

function leafOf(lines: readonly string[]): string | null {
  for (let place = lines.length - 1; place >= 0; place -= 1) {
    const entry = parseObject(lines[place] ?? '');
    if (entry !== undefined && entry.type !== 'session' && textOf(entry.type) !== '')
      return textOf(entry.id) || null;
  }
  return null;
}

/** Points the file's end at the branch in use, where something else stands there. */
function withLeaf(segment: WrittenSegment, lines: readonly string[]): readonly string[] {
  const last = segment.messages.at(-1);
  if (last === undefined || reads(segment, lines)) return lines;
  return [...lines, marker(segment, entryId(last), last.createdAt)];
}

function marker(segment: WrittenSegment, parentId: string, timestamp: string): string {
  const id = `holdfast-${segment.messages.length}`;
  return JSON.stringify({ type: 'custom', id, parentId, timestamp, customType: 'holdfast.leaf', data: {} });
}

/** True where these lines read as the messages of the segment. */
function reads({ messages }: WrittenSegment, lines: readonly string[]): boolean {
  const found = readTranscript(lines, true).branch.filter(isMessage);
  return (
    found.length === messages.length &&
    found.every(({ value }, place) => {
      const message = messages[place];
      if (message === undefined) return false;
      const said = decodeMessage(value, '');
      return said.role === message.role || !isObject(value.message);
    }) &&
    found.every(({ id }, place) => id === '' || id === entryId(messages[place] as StoredMessage))
  );
}

/** The messages alone, one behind the other: what is left where the old lines no longer tell this story. */
function chainOf(segment: WrittenSegment): readonly string[] {
  let parentId: string | null = null;
  const lines = segment.messages.map((message) => {
    const own = parseObject(ownLine(message) ?? '');
    const entry = own === undefined ? entryOf(message, parentId) : { ...own, id: entryId(message), parentId };
    parentId = textOf(entry.id);
    return JSON.stringify(entry);
  });
  return [headerOf(segment), ...lines];
}

/** A compaction at the end, where the lines do not already hide what is hidden. */
function withCut(segment: WrittenSegment, lines: readonly string[]): readonly string[] {
  const { cut, messages } = segment;
  if (cut === undefined) return lines;
  const { branch, compaction, version } = readTranscript(lines, true);
  const hidden = branch.slice(0, compaction?.keptFrom ?? 0).filter(isMessage).length;
  if (hidden === cut.hidden && (compaction?.summary ?? '') === cut.summary) return lines;
  const first = messages[cut.hidden];
  const kept =
    version === 1
      ? { firstKeptEntryIndex: branch.filter(isMessage)[cut.hidden]?.line ?? lines.length }
      : { firstKeptEntryId: first === undefined ? '' : entryId(first) };
  const entry = {
    type: 'compaction',
    ...(version === 1
      ? {}
      : { id: `holdfast-cut-${messages.length}-${cut.hidden}`, parentId: leafOf(lines) }),
    timestamp: cut.at,
    summary: cut.summary,
    ...kept,
    tokensBefore: 0,
  };
  return [...lines, JSON.stringify(entry)];
}
