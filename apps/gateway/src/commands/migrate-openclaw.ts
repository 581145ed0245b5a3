import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createOpenclawBackend, type Finding } from '@x/session-openclaw';
import { isMainAlias } from '@x/session-scope';
import { type JsonValue, type SessionBackend, type SessionMeta, Unsupported } from '@x/session-store';
import { RunError } from '../run-error.js';
import { openForReading, openStore } from '../stores/open-store.js';
import { type StoreReference, storeText } from '../stores/store-reference.js';
import type { TransferReport } from './copy-sessions.js';
import { allSessions } from './session-reading.js';
import { transferSessions, tryTransfer } from './session-transfer.js';

/** Something that needed judgement, as the command line shows it. */
interface JudgementView {
  readonly code: string;
  readonly session: string | null;
  readonly path: string;
  readonly line: number | null;
  readonly message: string;
}

export interface OpenclawReport extends TransferReport {
  readonly problems: readonly JudgementView[];
  /** What was read in a way one may want to know of; nothing is lost by it. */
  readonly notes: readonly JudgementView[];
}

export interface OpenclawWishes {
  readonly isTrial: boolean;
  readonly takesOrphans: boolean;
  /** Keys of direct sessions that get the history of their agent's main session. */
  readonly mainAs: readonly string[];
}

/**
 * Brings OpenClaw's sessions, of files or of its database, into a store. The folder is only read. Can be repeated:
 * sessions that went on in OpenClaw are continued, those that went on here are left alone.
 */
export async function migrateOpenclaw(
  folder: string,
  to: StoreReference,
  { isTrial, takesOrphans, mainAs }: OpenclawWishes,
): Promise<OpenclawReport> {
  const directory = resolve(folder);
  if (!existsSync(directory)) throw new RunError(`There is no folder ${directory}.`);
  const from: StoreReference = { kind: 'openclaw', path: directory };
  const findings: Finding[] = [];
  const apart: JudgementView[] = [];
  const source = await createOpenclawBackend({
    directory,
    orphans: takesOrphans,
    mainAs,
    onFinding: (finding) => findings.push(finding),
  }).catch((error: unknown) => {
    throw error instanceof Unsupported ? new RunError(error.message, 2) : error;
  });
  try {
    const target = isTrial ? await openForReading(to) : await openStore(to);
    try {
      const hasGoneOn = (there: SessionMeta, session: SessionMeta) => {
        const state = stateOf(there, session);
        if (state === 'both') apart.push(goneApart(directory, session.key));
        return state !== 'as it was';
      };
      const sessions =
        isTrial || target === undefined
          ? await tryTransfer(source, target, hasGoneOn, byAnyName)
          : await transferSessions(source, target, hasGoneOn, byAnyName);
      const views = (severity: Finding['severity']) =>
        findings.filter((finding) => finding.severity === severity).map(viewFinding);
      return {
        from: storeText(from),
        to: storeText(to),
        sessions,
        problems: [...views('problem'), ...apart],
        notes: [...views('note'), ...(await sharedMains(source, directory))],
      };
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
  }
}

/** Main sessions that were last spoken to by somebody: where nobody else did, they are that person's. */
async function sharedMains(source: SessionBackend, directory: string): Promise<readonly JudgementView[]> {
  const sessions = await allSessions(source, { all: true });
  return sessions.filter(isMain).flatMap(({ key, agentId, attributes }) => {
    const peer = lastPeerOf(attributes.openclaw);
    if (peer === undefined) return [];
    const message = `${key}: the direct chats of all who wrote to the agent ${agentId}; the last was ${peer}. Where nobody else did: --main-as agent:${agentId}:${peer.replace(':', ':direct:')}`;
    return [{ code: 'shared-main', session: key, path: directory, line: null, message }];
  });
}

function isMain({ key }: SessionMeta): boolean {
  return isMainAlias(key);
}

function lastPeerOf(openclaw: JsonValue | undefined): string | undefined {
  const entry = isRecord(openclaw) ? openclaw.entry : undefined;
  const to = isRecord(entry) ? entry.lastTo : undefined;
  return typeof to === 'string' && /^[a-z]+:[^:\s]+$/.test(to) ? to : undefined;
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also where its history has been moved into the session that its next message opened. */
async function byAnyName(target: SessionBackend, key: string): Promise<SessionMeta | undefined> {
  const found = await target.meta(key);
  if (found !== undefined) return found;
  const named = await target.resolve(key);
  return named === undefined ? undefined : target.meta(named);
}

/** Whether a session that was brought over has gone on since: here, or here and in OpenClaw. */
function stateOf(there: SessionMeta, source: SessionMeta): 'as it was' | 'here' | 'both' {
  const mark = markOf(there);
  // Not brought over from there: it is for the import to say that it differs.
  if (mark === undefined) return there.key === source.key ? 'as it was' : 'here';
  if (there.key === source.key && mark === there.revision) return 'as it was';
  return source.revision > mark ? 'both' : 'here';
}

function markOf({ attributes }: SessionMeta): number | undefined {
  const { openclaw } = attributes;
  if (typeof openclaw !== 'object' || openclaw === null || !('revision' in openclaw)) return undefined;
  return typeof openclaw.revision === 'number' ? openclaw.revision : undefined;
}

function goneApart(directory: string, key: string): JudgementView {
  const message = `${key}: it has gone on here and in OpenClaw; what was said there since is not taken.`;
  return { code: 'gone-apart', session: key, path: directory, line: null, message };
}

function viewFinding({ code, key, path, line, message }: Finding): JudgementView {
  return { code, session: key ?? null, path, line: line ?? null, message };
}
