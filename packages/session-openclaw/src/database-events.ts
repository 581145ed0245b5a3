import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreCorrupt } from '@x/session-store';
import type { DatabaseCopy } from './database-copy.js';
import { isObject, parseObject, textOf } from './json-object.js';
import { splitLines } from './transcript-lines.js';
import { unpacked } from './zstd.js';

/** A transcript as the rows of a database. */
export interface TranscriptEvents {
  /** By their seq; the header is the first. */
  readonly events: readonly { readonly seq: number; readonly json: string }[];
  /** Seqs of the branch in use; undefined where the database has not kept up. */
  readonly branch: readonly number[] | undefined;
}

interface EventRow {
  readonly seq: number;
  readonly event_json: string | null;
  readonly event_zstd: Buffer | null;
}

/** The events of a session, also from where they are put when they are cold; undefined where there are none. */
export async function readEvents(
  copy: DatabaseCopy,
  sessionId: string,
  coldFolder: string | undefined,
): Promise<TranscriptEvents | undefined> {
  const rows = copy.all<EventRow>(
    'SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq',
    sessionId,
  );
  if (rows.length === 0) return readCold(copy, sessionId, coldFolder);
  const events = [];
  for (const { seq, event_json, event_zstd } of rows) {
    const json = event_json ?? (event_zstd === null ? '' : (await unpacked(event_zstd)).toString('utf8'));
    events.push({ seq, json });
  }
  return { events, branch: activeBranch(copy, sessionId, events.at(-1)?.seq ?? 0) };
}

/** What the database says of the branch in use, where it has seen every event. */
function activeBranch(copy: DatabaseCopy, sessionId: string, lastSeq: number): readonly number[] | undefined {
  if (!copy.has('session_transcript_active_events') || !copy.has('session_transcript_index_state'))
    return undefined;
  const [state] = copy.all<{ readonly indexed_seq: number; readonly needs_rebuild: number }>(
    'SELECT indexed_seq, needs_rebuild FROM session_transcript_index_state WHERE session_id = ?',
    sessionId,
  );
  if (state === undefined || state.needs_rebuild !== 0 || state.indexed_seq < lastSeq) return undefined;
  return copy
    .all<{ readonly event_seq: number }>(
      'SELECT event_seq FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position',
      sessionId,
    )
    .map((row) => row.event_seq);
}

interface ColdRow {
  readonly archive_name: string;
  readonly storage: string;
  readonly archive_blob: Buffer | null;
}

async function readCold(
  copy: DatabaseCopy,
  sessionId: string,
  coldFolder: string | undefined,
): Promise<TranscriptEvents | undefined> {
  if (!copy.has('session_transcript_cold_archives')) return undefined;
  const [row] = copy.all<ColdRow>(
    'SELECT archive_name, storage, archive_blob FROM session_transcript_cold_archives WHERE session_id = ?',
    sessionId,
  );
  if (row === undefined) return undefined;
  const path = coldFolder === undefined ? undefined : join(coldFolder, row.archive_name);
  const isThere = path !== undefined && /^[\w.-]+$/.test(row.archive_name) && existsSync(path);
  if (row.archive_blob === null && !isThere) {
    throw new StoreCorrupt(
      `The transcript ${sessionId} was put away in ${row.archive_name}, which is not there. Restore it from a backup.`,
    );
  }
  const packed = row.archive_blob ?? (await readFile(path ?? ''));
  return coldEvents(splitLines(await unpacked(packed)).lines);
}

/** A line is a record that holds an event or a place of the branch in use, or the event itself. */
function coldEvents(lines: readonly string[]): TranscriptEvents {
  const events: { readonly seq: number; readonly json: string }[] = [];
  const branch: number[] = [];
  for (const line of lines) {
    const record = parseObject(line);
    const row = isObject(record?.row) ? record.row : {};
    if (record?.kind === 'event' && typeof row.seq === 'number')
      events.push({ seq: row.seq, json: textOf(row.event_json) });
    else if (record?.kind === 'active' && typeof row.event_seq === 'number') branch.push(row.event_seq);
    else if (record !== undefined && textOf(record.type) !== '')
      events.push({ seq: events.length, json: line });
  }
  return { events, branch: branch.length === 0 ? undefined : branch };
}

/** The events as the lines of a transcript. */
export function eventLines({ events, branch }: TranscriptEvents): {
  readonly lines: readonly string[];
  readonly branch?: readonly number[];
} {
  const lines = events.map(({ json }) => json.replaceAll(/[\r\n]+/g, ' '));
  if (branch === undefined) return { lines };
  const places = new Map(events.map(({ seq }, line) => [seq, line]));
  return { lines, branch: branch.flatMap((seq) => places.get(seq) ?? []) };
}
