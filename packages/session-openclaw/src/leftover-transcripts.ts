import { join } from 'node:path';
import { type Finding, finding } from './finding.js';
import type { AgentFolder, Archive, FolderListing } from './folder-listing.js';
import type { SessionPlan } from './generation.js';
import type { JsonObject } from './json-object.js';
import { fileGeneration } from './transcript-file.js';

/** A transcript that belongs to no entry, and the session that it would be. */
export interface Leftover {
  readonly notice: Finding;
  readonly plan: SessionPlan;
}

/** Transcripts that belong to no entry, each as a session of its own. */
export function leftovers(
  folder: AgentFolder,
  listing: FolderListing,
  used: ReadonlySet<string>,
): readonly Leftover[] {
  const orphans = [...listing.transcripts]
    .filter((name) => !used.has(join(folder.sessions, name)))
    .map((name): Leftover => {
      const message = `${join(folder.sessions, name)}: no entry of the agent ${folder.agentId} names this transcript.`;
      return leftover(folder, name, name.slice(0, -'.jsonl'.length), {}, (path, key) =>
        finding('orphan-transcript', path, message, { key }),
      );
    });
  const archives = listing.archives
    .filter(({ name }) => !used.has(join(folder.sessions, name)))
    .map((archive): Leftover => {
      const message = `${join(folder.sessions, archive.name)}: a transcript that was ${archive.reason}, and whose session is not known.`;
      const id = archive.name.replace('.jsonl', '').replace(/\.zst$/, '');
      return leftover(folder, archive.name, id, archivedEntry(archive), (path, key) =>
        finding('archive', path, message, { key }),
      );
    });
  return [...orphans, ...archives];
}

function archivedEntry({ sessionId, at }: Archive): {
  readonly sessionId: string;
  readonly entry: JsonObject;
} {
  return { sessionId, entry: { archivedAt: at === undefined ? 1 : Date.parse(at) } };
}

function leftover(
  folder: AgentFolder,
  name: string,
  id: string,
  { sessionId = id, entry = {} }: { readonly sessionId?: string; readonly entry?: JsonObject },
  notice: (path: string, key: string) => Finding,
): Leftover {
  const path = join(folder.sessions, name);
  const key = recoveredKey(folder.agentId, id);
  const plan: SessionPlan = {
    key,
    agentId: folder.agentId,
    entry,
    position: Number.MAX_SAFE_INTEGER,
    writtenKey: key,
    aliases: [],
    others: [],
    generations: [fileGeneration(sessionId, path)],
    path,
  };
  return { notice: notice(path, key), plan };
}

/** The key of a transcript whose own nobody knows. */
export function recoveredKey(agentId: string, sessionId: string): string {
  return `agent:${agentId}:recovered:${sessionId.toLowerCase()}`;
}
