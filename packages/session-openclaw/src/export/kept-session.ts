import type { JsonValue, SessionMeta, StoredMessage } from '@x/session-store';
import type { OtherEntry } from '../generation.js';
import { isObject, type JsonObject, textOf } from '../json-object.js';
import type { KeptLine, KeptTranscript } from '../session-assembly.js';

/** What a session remembers of OpenClaw; a store may have held it for long, so every part is looked at. */
export interface KeptSession {
  readonly key: string;
  readonly agentId: string;
  readonly position: number;
  readonly entry: JsonObject;
  readonly others: readonly OtherEntry[];
  readonly transcripts: readonly KeptTranscript[];
  /** Of the record when it was taken over. */
  readonly revision: number;
}

export function keptSession(meta: SessionMeta): KeptSession | undefined {
  const kept = meta.attributes.openclaw;
  if (!isObject(kept) || textOf(kept.key) === '' || !isObject(kept.entry)) return undefined;
  const { transcripts, position, revision } = kept;
  return {
    key: textOf(kept.key),
    agentId: textOf(kept.agentId) || meta.agentId,
    position: typeof position === 'number' ? position : Number.MAX_SAFE_INTEGER,
    entry: kept.entry,
    others: Array.isArray(kept.others) ? kept.others.flatMap(otherEntry) : [],
    transcripts: Array.isArray(transcripts) ? transcripts.flatMap(keptTranscript) : [],
    revision: typeof revision === 'number' ? revision : 0,
  };
}

function otherEntry(value: JsonValue): readonly OtherEntry[] {
  if (!isObject(value) || !isObject(value.entry) || textOf(value.key) === '') return [];
  const position = typeof value.position === 'number' ? value.position : Number.MAX_SAFE_INTEGER;
  return [{ key: textOf(value.key), entry: value.entry, position }];
}

function keptTranscript(value: JsonValue): readonly KeptTranscript[] {
  if (!isObject(value)) return [];
  const { version, lastSeq, after, unended } = value;
  return [
    {
      sessionId: textOf(value.sessionId),
      file: textOf(value.file),
      version: typeof version === 'number' ? version : 3,
      lastSeq: typeof lastSeq === 'number' ? lastSeq : 0,
      after: textsOf(after),
      ...(unended === true ? { unended } : {}),
    },
  ];
}

export function keptLine(message: StoredMessage): KeptLine | undefined {
  const value = (message as { readonly openclaw?: JsonValue }).openclaw;
  if (!isObject(value) || textOf(value.line) === '') return undefined;
  return {
    line: textOf(value.line),
    ...(typeof value.id === 'string' ? { id: value.id } : {}),
    before: textsOf(value.before),
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((each) => typeof each === 'string') : [];
}
