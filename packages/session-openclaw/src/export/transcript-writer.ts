import { isDeepStrictEqual } from 'node:util';
import { messageText, type StoredMessage } from '@x/session-store';
import { type JsonObject, parseObject, textOf } from '../json-object.js';
import { fillTemplate } from '../line-template.js';
import { decodeMessage, encodeMessage, heldTexts, isMessage } from '../message-entry.js';
import type { KeptTranscript } from '../session-assembly.js';
import { readTranscript, type TranscriptEntry } from '../transcript.js';
import { joinLines, splitLines } from '../transcript-lines.js';
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
 * follows it. OpenClaw's way of reading, applied to the result, gives these messages and this cut. Where the file is
 * there already, it goes on from `existing`; undefined where that tells another story.
 */
export function writeTranscript(segment: WrittenSegment): Buffer;
export function writeTranscript(segment: WrittenSegment, existing: Buffer | undefined): Buffer | undefined;
export function writeTranscript(segment: WrittenSegment, existing?: Buffer): Buffer | undefined {
  const own = linesOf(segment);
  const whole = bytesOf(segment, own, withCut(segment, faithful(segment, own)));
  if (existing === undefined || beginsWith(whole, existing)) return whole;
  const { lines, isEnded } = splitLines(existing);
  const grown = grownFrom(segment, lines);
  return grown && joinLines({ lines: grown, isEnded: isEnded || grown.length > lines.length });
}

function bytesOf(segment: WrittenSegment, own: readonly string[], all: readonly string[]): Buffer {
  const isUntouched = all.length === own.length && !hasGoneOn(segment);
  return joinLines({ lines: all, isEnded: !(isUntouched && segment.kept?.unended === true) });
}

export function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  return beginning.length <= bytes.length && bytes.subarray(0, beginning.length).equals(beginning);
}

/** The lines that are there and what is missing behind them; undefined where they are not how the segment began. */
function grownFrom(segment: WrittenSegment, lines: readonly string[]): readonly string[] | undefined {
  const { branch, entries } = readTranscript(lines, true);
  const there = branch.filter(isMessage).length;
  const begun = { ...segment, messages: segment.messages.slice(0, there) };
  const missing = segment.messages.slice(there);
  const known = new Set(entries.map(({ id }) => id));
  // On another branch by now: somebody has gone back to before it.
  if (!reads(begun, lines) || missing.some((message) => known.has(entryId(message)))) return undefined;
  const grown = [...lines];
  for (const message of missing) grown.push(newLine(message, grown));
  return reads(segment, grown) ? withCut(segment, grown) : undefined;
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

/** The id of its entry; those of version 1 had none. */
function entryId(message: StoredMessage): string {
  return keptLine(message)?.id || message.id;
}

function leafOf(lines: readonly string[]): string | null {
  for (let place = lines.length - 1; place >= 0; place -= 1) {
    const entry = parseObject(lines[place] ?? '');
    if (entry !== undefined && entry.type !== 'session' && textOf(entry.type) !== '')
      return textOf(entry.id) || null;
  }
  return null;
}

/** The lines, or with their end pointed at the branch in use, or else the messages alone. */
function faithful(segment: WrittenSegment, lines: readonly string[]): readonly string[] {
  const last = segment.messages.at(-1);
  if (reads(segment, lines)) return lines;
  const pointed = last === undefined ? lines : [...lines, marker(segment, entryId(last), last.createdAt)];
  return reads(segment, pointed) ? pointed : chainOf(segment);
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
    messages.every((message, place) => {
      const entry = found[place];
      return entry !== undefined && isItsEntry(message, entry);
    })
  );
}

/** By its id; in files without ids by its words. */
function isItsEntry(message: StoredMessage, { id, value }: TranscriptEntry): boolean {
  const { role, content } = decodeMessage(value, '');
  if (role !== message.role) return false;
  return id === '' ? messageText({ content }) === messageText(message) : id === entryId(message);
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
