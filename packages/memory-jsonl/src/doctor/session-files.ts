import { open, readFile, stat } from 'node:fs/promises';
import type { SessionMeta } from '@x/session-store';
import { isCode } from '../disk.js';
import type { HistoryReader } from '../history-reader.js';
import type { Layout } from '../layout.js';
import { emptyLog } from '../log-shape.js';
import { isObject } from '../message-line.js';
import { decodeMeta, type StoredMeta } from '../meta-file.js';
import { entryOfHistory, newEntry, type SessionEntry } from '../session-entry.js';

/** The two files of one session, as they lie there. */
export interface SessionFiles {
  /** Their name, without ending. */
  readonly name: string;
  readonly key: string;
  readonly metadata: 'missing' | 'broken' | 'readable';
  readonly stored: StoredMeta | undefined;
  /** PicoClaw's `count` in the metadata: the lines that it knows of. */
  readonly count: number;
  /** Undefined where there is no history file. */
  readonly history: { readonly size: number; readonly writtenAt: string } | undefined;
}

export async function readSessionFiles(layout: Layout, name: string, now: () => Date): Promise<SessionFiles> {
  const [text, history] = await Promise.all([
    readFile(layout.meta(name), 'utf8').catch(missing),
    stat(layout.history(name)).catch(missing),
  ]);
  const stored = text === undefined ? undefined : decodeMeta(text, name, now().toISOString());
  return {
    name,
    key: stored?.meta.key ?? name,
    metadata: text === undefined ? 'missing' : stored === undefined ? 'broken' : 'readable',
    stored,
    count: text === undefined || stored === undefined ? 0 : countIn(text),
    history:
      history === undefined ? undefined : { size: history.size, writtenAt: history.mtime.toISOString() },
  };
}

function missing(error: unknown): undefined {
  if (!isCode(error, 'ENOENT')) throw error;
}

function countIn(text: string): number {
  const record: unknown = JSON.parse(text);
  const count = isObject(record) ? record.count : 0;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** The session as a store would know it that has read the metadata and not yet the history. */
export function entryOfFiles({ name, metadata, stored, history }: SessionFiles): SessionEntry {
  if (stored === undefined) {
    const at = history?.writtenAt ?? new Date(0).toISOString();
    return entryOfHistory(name, metadata === 'broken' ? 'broken' : 'missing', at);
  }
  return {
    ...newEntry(stored.meta.key, name, stored.meta),
    log: undefined,
    known: { log: stored.log, skip: stored.skip },
    untimedAt: stored.untimedAt,
    namedByFile: stored.namedByFile,
    others: stored.others,
    file: 'current',
  };
}

/** The same, where nothing that the metadata says of the history is believed but the cutoff. */
export function doubting(entry: SessionEntry): SessionEntry {
  const { log, skip } = entry.known;
  return { ...entry, known: { log: log === undefined ? undefined : { ...emptyLog, tail: 'open' }, skip } };
}

/** Runs a task on the history of a session that has one. */
export async function withHistoryFile<T>(
  layout: Layout,
  { key, untimedAt, name }: SessionEntry,
  maxLineBytes: number,
  task: (reader: HistoryReader) => Promise<T>,
): Promise<T> {
  const path = layout.history(name);
  const file = await open(path, 'r');
  try {
    return await task({ file, path, key, untimedAt, maxLineBytes, met: [] });
  } finally {
    await file.close();
  }
}

/** Aliases that the session claims: all that it lists, but those it was refused. */
export function claimsOf({ stored }: SessionFiles): readonly string[] {
  return stored?.meta.aliases.filter((alias) => !stored.refused.includes(alias)) ?? [];
}

/** What precedence among sessions is decided by. */
export type Claimant = Pick<SessionMeta, 'key' | 'createdAt'>;
