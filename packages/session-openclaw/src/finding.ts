/** Something in an OpenClaw folder that needed judgement. */
export interface Finding {
  readonly code: FindingCode;
  /** `problem`: something is damaged, lost or left out. `note`: it was read in a way one may want to know of. */
  readonly severity: 'problem' | 'note';
  readonly path: string;
  /** The session that it concerns, by the key it has here. */
  readonly key?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** What is there and what was made of it, in a sentence. */
  readonly message: string;
}

/**
 * Problems:
 * - `damaged-line`: a line is no entry; it is kept with the session and not read.
 * - `transcript-missing`: the index names a transcript that is not there; the session is empty.
 * - `orphan-transcript`: a transcript that no entry names; taken where the reader is told to.
 * - `no-header`: a transcript without its first line; read all the same.
 * - `invalid-time`: a time is no number of milliseconds, or lies ahead; told from the transcript or the file.
 * - `unreadable-index`: the index is empty or no JSON object; the newest readable backup is used, if there is one.
 * - `entry-left-out`: an entry is no object, or has no session id.
 * - `outside-folder`: an entry names a transcript outside its folder, which is not opened.
 * - `unreadable-transcript`, `unreadable-database`: it is there and cannot be read.
 * - `foreign-key`: two agents have an entry of one key; the second has a key of its own here.
 *
 * Notes:
 * - `path-remapped`: an entry names its transcript by a path of another place or time.
 * - `path-derived`: an entry does not name its transcript, or names one that is not there; told from its id.
 * - `older-version`: a transcript of version 1 or 2.
 * - `header-only`: nothing was said yet.
 * - `parent-missing`: the entry before this one is not there; it follows the line above.
 * - `branches`: some messages are not on the branch that is in use; they are kept and not shown.
 * - `keys-merged`: several entries are one session under older spellings; the newest is in use.
 * - `shared-transcript`: a job's run has the transcript of the job; it is an alias here.
 * - `archive`: a transcript that was reset or deleted, and belongs to no session that is known.
 * - `lock`: a lock file lies there; whose it is.
 * - `unanswered-call`: the newest answer asks for tools, and the turn ended before they were run.
 * - `older-files`: a database has taken the place of these files.
 */
export type FindingCode =
  | 'damaged-line'
  | 'transcript-missing'
  | 'orphan-transcript'
  | 'no-header'
  | 'invalid-time'
  | 'unreadable-index'
  | 'entry-left-out'
  | 'outside-folder'
  | 'unreadable-transcript'
  | 'unreadable-database'
  | 'foreign-key'
  | NoteCode;

const NOTES = [
  'path-remapped',
  'path-derived',
  'older-version',
  'header-only',
  'parent-missing',
  'branches',
  'keys-merged',
  'shared-transcript',
  'archive',
  'lock',
  'unanswered-call',
  'older-files',
] as const;
type NoteCode = (typeof NOTES)[number];
const notes: ReadonlySet<string> = new Set(NOTES);

export function finding(
  code: FindingCode,
  path: string,
  message: string,
  place: Pick<Finding, 'key' | 'line'> = {},
): Finding {
  return { code, severity: notes.has(code) ? 'note' : 'problem', path, ...place, message };
}
