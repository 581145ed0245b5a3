import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canonicalOpenclawKey, parseOpenclawKey } from '@x/session-scope/openclaw';
import { StoreFailed, Unsupported } from '@x/session-store';
import { type AgentDatabase, openAgentDatabase } from './agent-database.js';
import { type AgentSessions, planAgentFiles } from './agent-files.js';
import { type Finding, finding } from './finding.js';
import { type AgentFolder, agentFolders, INDEX } from './folder-listing.js';
import type { SessionPlan } from './generation.js';
import { recoveredKey } from './leftover-transcripts.js';
import { describeLocks } from './lock-report.js';
import { sessionIdOf } from './session-index.js';
import { fileStamp } from './transcript-file.js';

export interface FolderOptions {
  /** OpenClaw's state folder (`~/.openclaw`), one agent's folder in it, or a `sessions` folder. */
  readonly directory: string;
  /** Also transcripts that no entry names, each under a key of its own. Default: they are only reported. */
  readonly orphans?: boolean;
  /**
   * Keys under which main sessions are to be found instead, one for an agent at most: of an installation in which one
   * person alone wrote to the agent directly, that person's (`agent:main:telegram:direct:123`).
   */
  readonly mainAs?: readonly string[];
}

/** All agents of a folder, looked at again whenever something has changed. */
export interface SessionFolder {
  plans(): Promise<FolderPlans>;
  close(): void;
}

export interface FolderPlans {
  readonly plans: ReadonlyMap<string, SessionPlan>;
  readonly findings: readonly Finding[];
}

/** Rejects with `StoreFailed` where the folder holds nothing of OpenClaw's. */
export async function openSessionFolder({
  directory,
  orphans = false,
  mainAs = [],
}: FolderOptions): Promise<SessionFolder> {
  const mainKeys = mainNames(mainAs);
  const root = resolve(directory);
  if (agentFolders(root).length === 0) {
    throw new StoreFailed(
      `${root} holds no sessions of OpenClaw. Name its state folder, in which "agents" lies, or an agent's folder.`,
      { path: root },
    );
  }
  const databases = new Map<string, { readonly database: AgentDatabase; readonly stamp: string }>();
  let seen: { readonly stamp: string; readonly plans: FolderPlans } | undefined;

  async function databaseOf(folder: AgentFolder): Promise<AgentDatabase | undefined> {
    const known = databases.get(folder.database);
    if (!existsSync(folder.database)) return undefined;
    if (known !== undefined && known.database.stamp() === known.stamp) return known.database;
    const isRead = known?.stamp.startsWith('open:') === true && existsSync(`${folder.database}-wal`);
    const database = isRead && known !== undefined ? known.database : await openAgentDatabase(folder);
    if (known !== undefined && database !== known.database) known.database.close();
    databases.set(folder.database, { database, stamp: database.stamp() });
    return database;
  }

  async function look(folders: readonly AgentFolder[]): Promise<FolderPlans> {
    const agents: AgentSessions[] = [];
    for (const folder of folders) {
      const files = planAgentFiles(folder, orphans);
      const locks = describeLocks(folder.sessions);
      const stored = await planDatabase(folder);
      agents.push(
        stored === undefined
          ? { plans: files.plans, findings: [...files.findings, ...locks] }
          : bothGenerations(folder, files, stored.sessions, stored.sessionIds),
      );
    }
    return onePlanEach(agents, mainKeys);
  }

  async function planDatabase(folder: AgentFolder) {
    try {
      const database = await databaseOf(folder);
      return database && { sessions: database.plan(), sessionIds: database.sessionIds() };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const findings = [finding('unreadable-database', folder.database, message)];
      return { sessions: { plans: [], findings }, sessionIds: new Set<string>() };
    }
  }

  return {
    async plans() {
      const folders = agentFolders(root);
      const stamp = folders
        .map((folder) => folderStamp(folder, databases.get(folder.database)?.database))
        .join('|');
      if (seen?.stamp === stamp) return seen.plans;
      const plans = await look(folders);
      // A database that was opened just now has a stamp of its own.
      const after = folders
        .map((folder) => folderStamp(folder, databases.get(folder.database)?.database))
        .join('|');
      seen = { stamp: after, plans };
      return plans;
    },
    close() {
      for (const { database } of databases.values()) database.close();
      databases.clear();
    },
  };
}

function folderStamp({ sessions, database }: AgentFolder, open: AgentDatabase | undefined): string {
  return [fileStamp(join(sessions, INDEX)), fileStamp(sessions), open?.stamp() ?? fileStamp(database)].join(
    ';',
  );
}

/** A database is the truth; what only the older files hold is there as well. */
function bothGenerations(
  folder: AgentFolder,
  files: AgentSessions,
  stored: AgentSessions,
  sessionIds: ReadonlySet<string>,
): AgentSessions {
  const keys = new Set(stored.plans.map(({ key }) => key));
  const isNew = (plan: SessionPlan) =>
    !keys.has(plan.key) && plan.generations.every(({ sessionId }) => !sessionIds.has(sessionId));
  const older = files.plans.filter(isNew);
  const note = finding(
    'older-files',
    folder.sessions,
    `The agent ${folder.agentId} has a database; its older files hold ${older.length} sessions that are not in it.`,
  );
  const findings = files.findings.filter(({ key }) => older.some((plan) => plan.key === key));
  const hasFiles = files.plans.length > 0 || files.findings.length > 0;
  return {
    plans: [...stored.plans, ...older],
    findings: [...stored.findings, ...(hasFiles ? [note] : []), ...findings],
  };
}

/** A key that two agents have belongs to the agent that it names. */
function onePlanEach(agents: readonly AgentSessions[], mainKeys: ReadonlyMap<string, string>): FolderPlans {
  const findings = agents.flatMap((agent) => agent.findings);
  const plans = new Map<string, SessionPlan>();
  const own = ({ key, agentId }: SessionPlan) => {
    const parsed = parseOpenclawKey(key);
    return parsed !== undefined && 'agentId' in parsed && parsed.agentId === agentId;
  };
  const all = agents.flatMap((agent) => agent.plans);
  for (const plan of [...all.filter(own), ...all.filter((each) => !own(each))]) {
    const other = plans.get(plan.key);
    if (other === undefined) {
      plans.set(plan.key, plan);
      continue;
    }
    const key = recoveredKey(plan.agentId, sessionIdOf(plan.entry) || plan.key);
    const message = `${plan.key}: the agents ${other.agentId} and ${plan.agentId} both have it; that of ${plan.agentId} is ${key} here.`;
    findings.push(finding('foreign-key', plan.path, message, { key }));
    plans.set(key, { ...plan, key });
  }
  return { plans: underNames(plans, mainKeys), findings };
}

/** The wanted key of each main session; `Unsupported` for what is no other session of an agent. */
function mainNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const text of keys) {
    const key = canonicalOpenclawKey(text);
    const parsed = parseOpenclawKey(key);
    const main = parsed?.kind === 'direct' ? `agent:${parsed.agentId}:main` : undefined;
    if (main === undefined || names.has(main))
      throw new Unsupported(
        `mainAs: ${text}: expected the key of a direct session, such as agent:main:telegram:direct:123, one for an agent.`,
      );
    names.set(main, key);
  }
  return names;
}

/** A session that has the wanted key already stays, and the main session with it. */
function underNames(
  plans: ReadonlyMap<string, SessionPlan>,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, SessionPlan> {
  const named = [...plans.values()].map((plan) => {
    const key = names.get(plan.key);
    return key === undefined || plans.has(key) ? plan : { ...plan, key };
  });
  return new Map(named.map((plan) => [plan.key, plan]));
}
