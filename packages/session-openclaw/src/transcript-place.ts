import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Finding, finding } from './finding.js';
import type { FolderListing } from './folder-listing.js';
import { type JsonObject, textOf } from './json-object.js';
import { isSafeSessionId, sessionIdOf } from './session-index.js';

/** A transcript's file, and what was thought on the way to it. */
export interface TranscriptPlace {
  /** Undefined where there is none. */
  readonly path: string | undefined;
  readonly findings: readonly Finding[];
}

/**
 * The transcript of an entry. A path is followed only to a plain file in the folder itself or in another agent's
 * sessions folder beside it; one of another machine or time is looked for by its name. Then by the session's id.
 */
export function placeTranscript(
  sessions: string,
  listing: FolderListing,
  key: string,
  entry: JsonObject,
): TranscriptPlace {
  const written = textOf(entry.sessionFile);
  const found: Finding[] = [];
  const note = (code: 'path-remapped' | 'path-derived' | 'outside-folder', message: string) =>
    void found.push(finding(code, sessions, `${key}: ${message}`, { key }));
  if (written !== '') {
    const path = resolve(sessions, written);
    const name = nameOf(written);
    const isOwn = path === join(sessions, name);
    if (isOwn && listing.transcripts.has(name)) return { path, findings: found };
    const shape = /(?:^|[\\/])agents[\\/]([^\\/]+)[\\/]sessions[\\/]([^\\/]+)$/.exec(written);
    const beside =
      shape === null ? undefined : join(dirname(dirname(sessions)), shape[1] ?? '', 'sessions', name);
    const isAgents = basename(dirname(dirname(sessions))) === 'agents' || beside === join(sessions, name);
    if (shape !== null && listing.transcripts.has(name)) {
      note('path-remapped', `its transcript is named as ${written} and was found here.`);
      return { path: join(sessions, name), findings: found };
    }
    if (beside !== undefined && isAgents && isPlainFile(beside) && resolve(beside) === path) {
      note('path-remapped', `its transcript lies with another agent, at ${written}.`);
      return { path, findings: found };
    }
    if (!isOwn && shape === null)
      note('outside-folder', `${written} lies outside the agent's folder and was not opened.`);
  }
  const sessionId = sessionIdOf(entry);
  const derived = `${sessionId}.jsonl`;
  if (!isSafeSessionId(sessionId) || !listing.transcripts.has(derived))
    return { path: undefined, findings: found };
  note(
    'path-derived',
    written === '' ? 'it names no transcript; told from its id.' : 'its path is wrong; told from its id.',
  );
  return { path: join(sessions, derived), findings: found };
}

/** The last part of a path of any system. */
function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? '';
}

/** A file, and no link on the way to it from the folder of all agents. */
function isPlainFile(path: string): boolean {
  const agents = dirname(dirname(dirname(path)));
  try {
    return (
      lstatSync(path).isFile() && realpathSync(path) === join(realpathSync(agents), relative(agents, path))
    );
  } catch {
    return false;
  }
}
