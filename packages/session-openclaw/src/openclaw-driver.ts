import { normaliseText } from '@x/session-scope';
import { pageOf, type SessionDriver, type SessionMeta, Unsupported } from '@x/session-store';
import { type Finding, finding } from './finding.js';
import type { SessionPlan } from './generation.js';
import { type AssembledSession, assembleSession } from './session-assembly.js';
import { type FolderOptions, openSessionFolder } from './session-folder.js';
import type { Transcript } from './transcript.js';
import { newestTime } from './transcript-file.js';

export interface OpenclawOptions extends FolderOptions {
  /** Told once of each thing that needed judgement, when its session is first read. */
  readonly onFinding?: (finding: Finding) => void;
  readonly now?: () => Date;
}

/** Sessions whose messages are kept in memory: what is read page by page is taken apart once. */
const messagesKept = 8;

/**
 * An OpenClaw folder as a store that is only read, while OpenClaw may go on writing: every call sees what is there
 * now. Takes no lock, writes nothing. Rejects with `StoreFailed` where there is nothing of OpenClaw's.
 */
export async function openOpenclawDriver(options: OpenclawOptions): Promise<SessionDriver> {
  const { onFinding = () => {}, now = () => new Date() } = options;
  const folder = await openSessionFolder(options);
  const records = new Map<string, { readonly stamp: string; readonly meta: SessionMeta }>();
  const recent = new Map<string, { readonly stamp: string; readonly session: AssembledSession }>();
  const told = new Set<string>();

  function tell(findings: readonly Finding[]): void {
    for (const each of findings) {
      if (told.has(each.message)) continue;
      told.add(each.message);
      onFinding(each);
    }
  }

  async function plans(): Promise<ReadonlyMap<string, SessionPlan>> {
    const { plans: found, findings } = await folder.plans();
    tell(findings);
    return found;
  }

  async function assembled(plan: SessionPlan): Promise<AssembledSession> {
    const stamp = stampOf(plan);
    const known = recent.get(plan.key);
    if (known?.stamp === stamp) return known.session;
    const { transcripts, findings } = await loadAll(plan);
    const session = assembleSession(
      plan,
      transcripts,
      newestTime(plan.generations.map(({ path }) => path)),
      now(),
    );
    tell([...findings, ...session.findings]);
    recent.delete(plan.key);
    recent.set(plan.key, { stamp, session });
    const [oldest] = recent.keys();
    if (recent.size > messagesKept && oldest !== undefined) recent.delete(oldest);
    records.set(plan.key, { stamp, meta: session.meta });
    return session;
  }

  async function metaOf(plan: SessionPlan): Promise<SessionMeta> {
    const known = records.get(plan.key);
    return known?.stamp === stampOf(plan) ? known.meta : (await assembled(plan)).meta;
  }

  return {
    name: 'openclaw',
    capabilities: {
      durable: 'process',
      sharing: 'one-process',
      search: false,
      maxMessageBytes: 256 * 1024 * 1024,
    },
    async transact(need, decide) {
      const found = await plans();
      const sessions = new Map<string, SessionMeta>();
      for (const key of need.keys) {
        const plan = found.get(key);
        if (plan !== undefined) sessions.set(key, await metaOf(plan));
      }
      const owners = new Map(
        need.aliases.flatMap((alias) => {
          const owner = ownerOf(found, alias);
          return owner === undefined ? [] : [[alias, owner] as const];
        }),
      );
      if (decide({ sessions, owners, seqs: new Map() }).length === 0) return;
      throw new Unsupported(
        `OpenClaw's folder ${options.directory} is only read here. Migrate its sessions into a store of ours to go on with them.`,
        { path: options.directory },
      );
    },
    async load(key) {
      const plan = (await plans()).get(key);
      return plan === undefined ? undefined : metaOf(plan);
    },
    async scan(key, { after, before, limit, order }) {
      const plan = (await plans()).get(key);
      if (plan === undefined) return [];
      // Seqs are places in the list.
      const { messages } = await assembled(plan);
      const wanted = messages.slice(after, Math.max(0, before - 1));
      return structuredClone(
        order === 'asc' ? wanted.slice(0, limit) : wanted.slice(Math.max(0, wanted.length - limit)).reverse(),
      );
    },
    async owner(alias) {
      return ownerOf(await plans(), alias);
    },
    async page(query, after) {
      const metas: SessionMeta[] = [];
      for (const plan of (await plans()).values()) metas.push(await metaOf(plan));
      return pageOf(metas, query, after);
    },
    async close() {
      folder.close();
    },
  };
}

function stampOf({ entry, generations }: SessionPlan): string {
  return [
    String(entry.updatedAt),
    generations.length,
    ...generations.map((generation) => generation.stamp()),
  ].join('|');
}

const owners = new WeakMap<ReadonlyMap<string, SessionPlan>, ReadonlyMap<string, string>>();

/** The session that an alias leads to; the names are gathered once for each state of the folder. */
function ownerOf(plans: ReadonlyMap<string, SessionPlan>, alias: string): string | undefined {
  const known = owners.get(plans);
  if (known !== undefined) return known.get(alias);
  const names = [...plans.values()].flatMap(({ key, aliases, writtenKey }) =>
    [...aliases, normaliseText(writtenKey)]
      .filter((name) => name !== key)
      .map((name) => [name, key] as const),
  );
  // Where two sessions have one older name, it leads to the first.
  const gathered = new Map(names.reverse());
  owners.set(plans, gathered);
  return gathered.get(alias);
}

/** One that cannot be read is reported, and the rest of its session is there. */
async function loadAll(plan: SessionPlan) {
  const transcripts: (Transcript | undefined)[] = [];
  const findings: Finding[] = [];
  for (const generation of plan.generations) {
    try {
      transcripts.push(await generation.load());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${plan.key}: its transcript ${generation.sessionId} cannot be read: ${why}`;
      findings.push(finding('unreadable-transcript', generation.path, message, { key: plan.key }));
      transcripts.push(undefined);
    }
  }
  return { transcripts, findings };
}
