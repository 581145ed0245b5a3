import type { Finding } from '../finding.js';

/** Something in a sessions folder that is not as it should be. */
export interface FolderProblem {
  /**
   * In a history, with the line:
   * - `unreadable-line`, `torn-line`, `damaged-text`, `long-line`, `seq-order`, `unfinished-append`: as in `Finding`.
   *
   * In a session's files:
   * - `broken-metadata`: cannot be read; the session is told from its history.
   * - `metadata-missing`: a history of ours alone: the session's key, title and names went with the metadata.
   * - `lagging-metadata`: the history has messages that the metadata does not know of.
   * - `skip-beyond-end`: the metadata hides more lines than the history has.
   * - `history-shorter`: the history has fewer lines than the metadata counts.
   * - `history-missing`: the metadata counts messages and there is no history file.
   * - `duplicate-key`: two metadata files name one session; the second is not seen.
   * - `alias-conflict`: two sessions list one alias; it leads to the one created first.
   *
   * In the folder:
   * - `stale-lock`: its holder is dead · `unfinished-change`, `unfinished-journal`: left by a crash, finished by
   *   the next opening · `unreadable-intent`: cannot be finished, by nobody · `leftover-file`: made and never used.
   * - `older-session`: of PicoClaw's one-file-a-session format, to be migrated · `foreign-file`: nobody's here.
   */
  readonly code: FolderProblemCode;
  /** The session's key, where it is one session's. */
  readonly key?: string;
  readonly path: string;
  /** Counted from 1, empty lines included. */
  readonly line?: number;
  /** What is wrong and what becomes of it, in a sentence. */
  readonly message: string;
  /** True where `mendJsonl` puts it right. */
  readonly fixable: boolean;
}

type LineCode =
  | 'unreadable-line'
  | 'torn-line'
  | 'damaged-text'
  | 'long-line'
  | 'seq-order'
  | 'unfinished-append';

export type FolderProblemCode =
  | LineCode
  | 'broken-metadata'
  | 'metadata-missing'
  | 'lagging-metadata'
  | 'skip-beyond-end'
  | 'history-shorter'
  | 'history-missing'
  | 'duplicate-key'
  | 'alias-conflict'
  | 'stale-lock'
  | 'unfinished-change'
  | 'unfinished-journal'
  | 'unreadable-intent'
  | 'leftover-file'
  | 'older-session'
  | 'foreign-file';

/** Problems of lines that a rewritten history no longer has. */
export const mendedByRewrite: ReadonlySet<FolderProblemCode> = new Set<LineCode>([
  'unreadable-line',
  'torn-line',
  'damaged-text',
  'seq-order',
  'unfinished-append',
]);

/** Problems that metadata told anew from the history no longer has. */
export const mendedByMetadata: ReadonlySet<FolderProblemCode> = new Set<FolderProblemCode>([
  'broken-metadata',
  'metadata-missing',
  'lagging-metadata',
  'skip-beyond-end',
  'history-shorter',
  'history-missing',
  'alias-conflict',
]);

/** What a walk through a history has met, as a problem; undefined for what only matters to a writer. */
export function problemOfFinding(finding: Finding): FolderProblem | undefined {
  const { code, path, key, line, message } = finding;
  if (!mendedByRewrite.has(code as FolderProblemCode) && code !== 'long-line') return undefined;
  return {
    code: code as LineCode,
    ...(key === undefined ? {} : { key }),
    path,
    ...(line === undefined ? {} : { line }),
    message,
    fixable: code !== 'long-line',
  };
}
