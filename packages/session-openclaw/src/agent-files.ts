import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalOpenclawKey, parseOpenclawKey } from '@x/session-scope/openclaw';
import { type Finding, finding } from './finding.js';
import { type AgentFolder, type FolderListing, INDEX, listFolder } from './folder-listing.js';
import type { Generation, SessionPlan } from './generation.js';
import type { JsonObject } from './json-object.js';
import { leftovers } from './leftover-transcripts.js';
import {
  earlierSessionIds,
  isSafeSessionId,
  parseIndex,
  type SessionIndex,
  sessionIdOf,
  updatedAtOf,
} from './session-index.js';
import { fileGeneration, missingGeneration } from './transcript-file.js';
import { placeTranscript } from './transcript-place.js';

/** What was found in one agent's folder. */
export interface AgentSessions {
  readonly plans: readonly SessionPlan[];
  readonly findings: readonly Finding[];
}

interface IndexedEntry {
  readonly writtenKey: string;
  readonly key: string;
  readonly entry: JsonObject;
  readonly position: number;
}

/** Longer keys, and those with a NUL or half a character, are taken by no store. */
const isStorable = (key: string) => key !== '' && key.length <= 1024 && !/\0|\p{Surrogate}/u.test(key);

/** The sessions of an agent that keeps them in files; `takesOrphans`: also transcripts that no entry names. */
export function planAgentFiles(folder: AgentFolder, takesOrphans: boolean): AgentSessions {
  const listing = listFolder(folder.sessions);
  const found: Finding[] = [];
  const groups = new Map<string, IndexedEntry[]>();
  for (const indexed of indexedEntries(folder, readIndex(folder, listing, found), found)) {
    const group = groups.get(indexed.key);
    if (group === undefined) groups.set(indexed.key, [indexed]);
    else group.push(indexed);
  }
  const used = new Set<string>();
  const plans = [...groups.values()].map((group) => planSession(folder, listing, group, used, found));
  const shared = withoutSharedRuns(plans, found);
  const rest = leftovers(folder, listing, used);
  found.push(...rest.map(({ notice }) => notice));
  return { plans: takesOrphans ? [...shared, ...rest.map(({ plan }) => plan)] : shared, findings: found };
}

function readIndex(folder: AgentFolder, listing: FolderListing, found: Finding[]): SessionIndex {
  const path = join(folder.sessions, INDEX);
  const text = textAt(path);
  if (text === undefined) return { entries: new Map(), isReadable: true };
  const index = parseIndex(text);
  if (index.isReadable) return index;
  const state = text.trim() === '' ? 'is empty' : 'is no JSON object';
  for (const name of listing.backups) {
    const backup = parseIndex(textAt(join(folder.sessions, name)) ?? '');
    if (backup.entries.size === 0) continue;
    const message = `The index ${path} of the agent ${folder.agentId} ${state}; ${name} is used in its place.`;
    found.push(finding('unreadable-index', path, message));
    return backup;
  }
  const message = `The index ${path} of the agent ${folder.agentId} ${state}; its transcripts are there, and belong to nobody.`;
  found.push(finding('unreadable-index', path, message));
  return index;
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function indexedEntries(folder: AgentFolder, index: SessionIndex, found: Finding[]): readonly IndexedEntry[] {
  const path = join(folder.sessions, INDEX);
  return [...index.entries].flatMap(([writtenKey, entry], position) => {
    const key = keyOfEntry(writtenKey, folder.agentId);
    const leave = (why: string) => {
      found.push(finding('entry-left-out', path, `${writtenKey.slice(0, 200)}: the entry ${why}; left out.`));
      return [];
    };
    if (!isStorable(key)) return leave('has a key that no store takes');
    if (entry === undefined) return leave('is no object');
    if (sessionIdOf(entry) === '') return leave('names no session');
    return [{ writtenKey, key, entry, position }];
  });
}

/** The key of a session here: one that says no agent is its owner's, unless the owner is `main`. */
export function keyOfEntry(writtenKey: string, agentId: string): string {
  const key = canonicalOpenclawKey(writtenKey, agentId);
  const parsed = parseOpenclawKey(key);
  const isNobodys = parsed !== undefined && (!('agentId' in parsed) || parsed.agentId === undefined);
  return isNobodys && agentId !== 'main' ? `agent:${agentId}:${key}` : key;
}

function planSession(
  folder: AgentFolder,
  listing: FolderListing,
  group: readonly IndexedEntry[],
  used: Set<string>,
  found: Finding[],
): SessionPlan {
  const path = join(folder.sessions, INDEX);
  const newestFirst = [...group].sort((one, other) => updatedAtOf(other.entry) - updatedAtOf(one.entry));
  const [current, ...older] = newestFirst;
  if (current === undefined) throw new Error('A group of entries holds at least one.');
  const { key, entry, writtenKey, position } = current;
  if (older.length > 0) {
    const spellings = older.map((each) => each.writtenKey).join(', ');
    found.push(finding('keys-merged', path, `${key}: taken together with ${spellings}.`, { key }));
  }
  const place = placeTranscript(folder.sessions, listing, key, entry);
  found.push(...place.findings);
  const sessionId = sessionIdOf(entry);
  const ownArchive = listing.archives.find((archive) => archive.sessionId === sessionId);
  const ownPath = place.path ?? (ownArchive && join(folder.sessions, ownArchive.name));
  if (ownPath === undefined)
    found.push(
      finding('transcript-missing', path, `${key}: its transcript is not there; the session is empty.`, {
        key,
      }),
    );
  else used.add(ownPath);
  const earlier = [...older.map((each) => sessionIdOf(each.entry)), ...earlierSessionIds(entry)];
  return {
    key,
    agentId: folder.agentId,
    entry,
    position,
    writtenKey,
    aliases: namesOf(group, key),
    others: older.map((each) => ({ key: each.writtenKey, entry: each.entry, position: each.position })),
    generations: [
      ...earlierGenerations(folder, listing, new Set(earlier), sessionId, used),
      ownPath === undefined ? missingGeneration(sessionId, path) : fileGeneration(sessionId, ownPath),
    ],
    path,
  };
}

/** The older spellings under which people may still ask; what names no agent may be in several stores. */
function namesOf(group: readonly IndexedEntry[], key: string): readonly string[] {
  const names = group.map(({ writtenKey }) => writtenKey.trim().toLowerCase());
  const isIts = (name: string) => name.startsWith('agent:') && canonicalOpenclawKey(name) === key;
  return [...new Set(names)].filter((name) => name !== key && isIts(name));
}

function earlierGenerations(
  folder: AgentFolder,
  listing: FolderListing,
  sessionIds: ReadonlySet<string>,
  current: string,
  used: Set<string>,
): readonly Generation[] {
  const archived = listing.archives.filter(
    ({ sessionId }) => sessionIds.has(sessionId) && sessionId !== current,
  );
  const kept = [...sessionIds].filter(
    (id) =>
      id !== current &&
      isSafeSessionId(id) &&
      listing.transcripts.has(`${id}.jsonl`) &&
      !archived.some(({ sessionId }) => sessionId === id),
  );
  const parts: Generation[] = [
    ...archived.map(({ name, sessionId, reason, at }) =>
      fileGeneration(sessionId, join(folder.sessions, name), {
        reason,
        ...(at === undefined ? {} : { endedAt: at }),
      }),
    ),
    ...kept.map((id) => fileGeneration(id, join(folder.sessions, `${id}.jsonl`), { reason: 'reset' })),
  ];
  const fresh = parts.filter(({ path }) => !used.has(path));
  for (const { path } of fresh) used.add(path);
  return fresh.sort((one, other) => ((one.endedAt ?? '') < (other.endedAt ?? '') ? -1 : 1));
}

/** A run of a job has the transcript of the job until the next run: one session under both names. */
function withoutSharedRuns(plans: readonly SessionPlan[], found: Finding[]): readonly SessionPlan[] {
  const runs = new Map<string, SessionPlan[]>();
  const byKey = new Map(plans.map((plan) => [plan.key, plan]));
  const others = plans.filter((plan) => {
    const base = plan.key.replace(/:run:[^:]*$/, '');
    const job = base === plan.key ? undefined : byKey.get(base);
    if (parseOpenclawKey(plan.key)?.kind !== 'cron' || job === undefined) return true;
    if (sessionIdOf(job.entry) !== sessionIdOf(plan.entry)) return true;
    runs.set(base, [...(runs.get(base) ?? []), plan]);
    const message = `${plan.key}: it is the newest run of ${base} and has its transcript; it is another name of it.`;
    found.push(finding('shared-transcript', plan.path, message, { key: base }));
    return false;
  });
  return others.map((plan) => {
    const shared = runs.get(plan.key);
    if (shared === undefined) return plan;
    return {
      ...plan,
      aliases: [...plan.aliases, ...shared.map(({ key }) => key)],
      others: [
        ...plan.others,
        ...shared.map(({ writtenKey, entry, position }) => ({ key: writtenKey, entry, position })),
      ],
    };
  });
}
