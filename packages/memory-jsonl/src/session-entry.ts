import { type JsonValue, newMeta, type SessionMeta } from '@x/session-store';
import { emptyLog, type LogShape } from './log-shape.js';

/** One session of the folder, as far as it is known. */
export interface SessionEntry {
  readonly key: string;
  /** The name of its files, without ending. */
  readonly name: string;
  meta: SessionMeta;
  /** Undefined until the history has been looked at: the counts of `meta` are then not to be believed. */
  log: LogShape | undefined;
  /** Bytes of the history file when it was last looked at or written; another size means that another program wrote. */
  fileSize: number;
  /** What the metadata file said of an older state of the history, or how much of it PicoClaw hides. */
  known: { readonly log: LogShape | undefined; readonly skip: number };
  untimedAt: string;
  readonly namedByFile: boolean;
  others: { readonly [name: string]: JsonValue };
  /** `behind`: the history has gone on since it was written. */
  file: 'current' | 'behind' | 'missing' | 'broken';
  /** Steps that have the session in hand: its metadata is not written beside them. */
  users: number;
  /** While the metadata is being written in the background, or the history looked at. */
  writing: Promise<void> | undefined;
  settling: Promise<void> | undefined;
  /** Set where an error left the files in doubt: nothing more is written until the folder is opened again. */
  doubt: Error | undefined;
}

export function newEntry(key: string, name: string, meta: SessionMeta): SessionEntry {
  return {
    key,
    name,
    meta,
    log: emptyLog,
    fileSize: 0,
    known: { log: undefined, skip: 0 },
    untimedAt: meta.createdAt,
    namedByFile: false,
    others: {},
    file: 'missing',
    users: 0,
    writing: undefined,
    settling: undefined,
    doubt: undefined,
  };
}

/** A history without metadata: its key is its name. */
export function entryOfHistory(name: string, file: 'missing' | 'broken', at: string): SessionEntry {
  return {
    ...newEntry(name, name, newMeta(name, {}, at)),
    log: undefined,
    namedByFile: true,
    file,
  };
}
