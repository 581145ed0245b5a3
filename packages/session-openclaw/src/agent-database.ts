import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSessions } from './agent-files.js';
import { keyOfEntry } from './agent-files.js';
import { type DatabaseCopy, openForReading } from './database-copy.js';
import { eventLines, readEvents } from './database-events.js';
import { type Finding, finding } from './finding.js';
import type { AgentFolder } from './folder-listing.js';
import type { Generation, SessionPlan } from './generation.js';
import { type JsonObject, parseObject } from './json-object.js';
import { readTranscript } from './transcript.js';
import { splitLines } from './transcript-lines.js';
import { unpacked } from './zstd.js';

/** An agent's database, open to be read while OpenClaw may write to it. */
export interface AgentDatabase {
  plan(): AgentSessions;
  /** Another text whenever something in it has changed. */
  stamp(): string;
  /** Ids of the transcripts that lie in it. */
  sessionIds(): ReadonlySet<string>;
  close(): void;
}

interface NodeRow {
  readonly session_key: string;
  readonly current_session_id: string;
  readonly entry_json: string;
  readonly updated_at: number;
  readonly label: string | null;
  readonly display_name: string | null;
  readonly pinned_at: number | null;
  readonly archived_at: number | null;
}

interface WindowRow {
  readonly session_id: string;
  readonly session_key: string;
  readonly previous_session_id: string | null;
  readonly reason: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

interface ArchiveRow {
  readonly session_id: string;
  readonly session_key: string;
  readonly reason: string;
  readonly archive_blob: Buffer;
  readonly archive_name: string;
  readonly created_at: number;
}

/** Opens the database of an agent; rejects where it is none, or of a schema without sessions. */
export async function openAgentDatabase(folder: AgentFolder): Promise<AgentDatabase> {
  const copy = await openForReading(folder.database);
  return {
    plan: () => planDatabase(folder, copy),
    stamp: () => copy.stamp(),
    sessionIds() {
      const rows = copy.all<{ readonly session_id: string }>('SELECT session_id FROM session_windows');
      return new Set(rows.map((row) => row.session_id));
    },
    close: () => copy.close(),
  };
}

function planDatabase(folder: AgentFolder, copy: DatabaseCopy): AgentSessions {
  const found: Finding[] = [];
  const nodes = copy.all<NodeRow>(
    `SELECT session_key, current_session_id, entry_json, updated_at, label, display_name, pinned_at, archived_at
     FROM session_nodes ORDER BY session_key`,
  );
  const windows = groupedWindows(copy);
  const archives = copy.has('session_transcript_archives')
    ? copy.all<ArchiveRow>(
        `SELECT session_id, session_key, reason, archive_blob, archive_name, created_at
         FROM session_transcript_archives ORDER BY created_at`,
      )
    : [];
  const plans = nodes.flatMap((node, position): SessionPlan[] => {
    const entry = entryOf(node);
    if (entry === undefined) {
      const message = `${node.session_key}: its entry in ${folder.database} is no object; left out.`;
      found.push(finding('entry-left-out', folder.database, message));
      return [];
    }
    const own = inOrder(windows.get(node.session_key) ?? [], node.current_session_id);
    const known = new Set(own.map(({ session_id }) => session_id));
    const closed = archives
      .filter(({ session_key, session_id }) => session_key === node.session_key && !known.has(session_id))
      .map((archive) => archiveGeneration(folder, archive));
    const generations = own.map((window, index) => {
      const next = own[index + 1];
      return windowGeneration(folder, copy, window, next);
    });
    return [
      {
        key: keyOfEntry(node.session_key, folder.agentId),
        agentId: folder.agentId,
        entry,
        position,
        writtenKey: node.session_key,
        aliases: [],
        others: [],
        generations: [...closed, ...generations],
        path: folder.database,
      },
    ];
  });
  return { plans, findings: found };
}

/** The entry, with what newer versions keep in columns of their own. */
function entryOf(node: NodeRow): JsonObject | undefined {
  const entry = parseObject(node.entry_json);
  if (entry === undefined) return undefined;
  return {
    sessionId: node.current_session_id,
    updatedAt: node.updated_at,
    ...(node.label === null ? {} : { label: node.label }),
    ...(node.display_name === null ? {} : { displayName: node.display_name }),
    ...(node.pinned_at === null ? {} : { pinnedAt: node.pinned_at }),
    ...(node.archived_at === null ? {} : { archivedAt: node.archived_at }),
    ...entry,
  };
}

function groupedWindows(copy: DatabaseCopy): ReadonlyMap<string, readonly WindowRow[]> {
  const groups = new Map<string, WindowRow[]>();
  const rows = copy.all<WindowRow>(
    `SELECT session_id, session_key, previous_session_id, reason, created_at, ended_at
     FROM session_windows ORDER BY created_at, session_id`,
  );
  for (const row of rows) {
    const group = groups.get(row.session_key);
    if (group === undefined) groups.set(row.session_key, [row]);
    else group.push(row);
  }
  return groups;
}

/** The windows of a key from the oldest to the current one: along their links, what is not linked before. */
function inOrder(windows: readonly WindowRow[], current: string): readonly WindowRow[] {
  const byId = new Map(windows.map((window) => [window.session_id, window]));
  const chain: WindowRow[] = [];
  for (let id: string | null = current; id !== null; ) {
    const window = byId.get(id);
    if (window === undefined) break;
    byId.delete(id);
    chain.unshift(window);
    id = window.previous_session_id;
  }
  return [...byId.values(), ...chain];
}

function windowGeneration(
  folder: AgentFolder,
  copy: DatabaseCopy,
  window: WindowRow,
  next: WindowRow | undefined,
): Generation {
  const ended = window.ended_at ?? next?.created_at;
  const end =
    next === undefined
      ? {}
      : {
          reason: next.reason ?? 'reset',
          ...(ended === undefined ? {} : { endedAt: new Date(ended).toISOString() }),
        };
  return {
    sessionId: window.session_id,
    path: folder.database,
    file: `${window.session_id}.jsonl`,
    ...end,
    async load() {
      const events = await readEvents(copy, window.session_id, coldFolder(folder));
      if (events === undefined) return undefined;
      const { lines, branch } = eventLines(events);
      return readTranscript(lines, true, branch);
    },
    stamp: () => copy.stamp(),
  };
}

function coldFolder(folder: AgentFolder): string | undefined {
  const cold = join(folder.sessions, 'cold');
  return existsSync(cold) ? cold : undefined;
}

function archiveGeneration(folder: AgentFolder, archive: ArchiveRow): Generation {
  return {
    sessionId: archive.session_id,
    path: folder.database,
    file: archive.archive_name.replace(/\.zst$/, ''),
    reason: archive.reason,
    endedAt: new Date(archive.created_at).toISOString(),
    async load() {
      const { lines, isEnded } = splitLines(await unpacked(archive.archive_blob));
      return readTranscript(lines, isEnded);
    },
    stamp: () => `${archive.session_id}:${archive.created_at}`,
  };
}
