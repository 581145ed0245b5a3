import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { normaliseAgentId } from '@x/session-scope';

/** Where one agent keeps its sessions. */
export interface AgentFolder {
  readonly agentId: string;
  /** Of `sessions.json` and the transcripts. */
  readonly sessions: string;
  /** Of newer installations. */
  readonly database: string;
}

/** What lies in a sessions folder, by what it is. */
export interface FolderListing {
  /** Names of transcripts in use. */
  readonly transcripts: ReadonlySet<string>;
  readonly archives: readonly Archive[];
  readonly locks: readonly string[];
  /** `sessions.json.bak.<ms>`, newest first. */
  readonly backups: readonly string[];
}

export interface Archive {
  readonly name: string;
  readonly sessionId: string;
  readonly reason: 'reset' | 'deleted';
  /** When, as ISO 8601; undefined where the name does not say. */
  readonly at: string | undefined;
}

export const INDEX = 'sessions.json';
const DATABASE = 'openclaw-agent.sqlite';

/**
 * The agents of a folder: OpenClaw's state folder, its `agents`, one agent's folder, or one `sessions`. Links are not
 * followed. Empty where there is none of these.
 */
export function agentFolders(directory: string): readonly AgentFolder[] {
  const folder = realFolder(resolve(directory));
  for (const agents of [join(folder, 'agents'), ...(basename(folder) === 'agents' ? [folder] : [])]) {
    const found = namesIn(agents, 'folder').map((name) => agentFolder(name, join(agents, name)));
    const kept = found.filter(holdsSessions);
    if (kept.length > 0) return kept;
  }
  const single = basename(folder) === 'sessions' ? dirname(folder) : folder;
  const agent = agentFolder(basename(single), single);
  if (holdsSessions(agent)) return [agent];
  const bare = { agentId: 'main', sessions: folder, database: join(folder, DATABASE) };
  return holdsSessions(bare) ? [bare] : [];
}

function agentFolder(name: string, folder: string): AgentFolder {
  return {
    agentId: normaliseAgentId(name),
    sessions: join(folder, 'sessions'),
    database: join(folder, 'agent', DATABASE),
  };
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function holdsSessions({ sessions, database }: AgentFolder): boolean {
  if (lstatSync(database, { throwIfNoEntry: false })?.isFile()) return true;
  if (!lstatSync(sessions, { throwIfNoEntry: false })?.isDirectory()) return false;
  return namesIn(sessions, 'file').some((name) => name === INDEX || name.includes('.jsonl'));
}

/** The plain files, or folders, of a folder; none where it is not there. */
function namesIn(folder: string, kind: 'file' | 'folder'): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory()))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

export function listFolder(sessions: string): FolderListing {
  const transcripts = new Set<string>();
  const archives: Archive[] = [];
  const locks: string[] = [];
  const backups: string[] = [];
  for (const name of namesIn(sessions, 'file')) {
    const [, sessionId = '', reason, at = ''] =
      /^(.+?)(?:-topic-[^.]*)?\.jsonl\.(reset|deleted)\.(.+?)(?:\.zst)?$/.exec(name) ?? [];
    if (reason === 'reset' || reason === 'deleted')
      archives.push({ name, sessionId, reason, at: archiveTime(at) });
    else if (name.endsWith('.lock')) locks.push(name);
    else if (/^sessions\.json\.bak\.\d+$/.test(name)) backups.push(name);
    else if (name.endsWith('.jsonl') && !/\.(?:checkpoint\.[^.]+|trajectory)\.jsonl$/.test(name))
      transcripts.add(name);
  }
  const ageOf = (name: string) => Number(name.slice(name.lastIndexOf('.') + 1));
  return { transcripts, archives, locks, backups: backups.sort((one, other) => ageOf(other) - ageOf(one)) };
}

/** `2026-01-05T08-59-58.120Z`: the colons of the time are dashes. */
function archiveTime(text: string): string | undefined {
  const time = new Date(text.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
