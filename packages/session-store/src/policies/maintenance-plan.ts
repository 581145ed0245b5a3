import { parseAgentKey } from '@x/session-scope';
import type { SessionMeta } from '../session-meta.js';

/** How much is kept. What is not set is not limited. */
export interface MaintenanceLimits {
  /** A session without a message for so long goes into the bin. */
  readonly pruneAfterMs?: number;
  /** Sessions outside the bin: beyond so many the oldest go into it. */
  readonly maxSessions?: number;
  /** What was in the bin for so long is destroyed. */
  readonly purgeAfterMs?: number;
  /** Beyond `maxBytes` the bin is emptied, and then the oldest sessions go into it, until `highWaterBytes` are reached. */
  readonly disk?: { readonly maxBytes: number; readonly highWaterBytes: number };
}

export interface MaintenanceFacts {
  readonly now: Date;
  /** Turns run in these: they are left alone. */
  readonly running: (key: string) => boolean;
  /** Room that the store takes, in bytes; needed for `disk` only. */
  readonly usedBytes?: number;
  /** Room that one session takes; an estimate is enough. */
  readonly bytesOf?: (session: SessionMeta) => number;
}

/** `delete`: into the bin · `purge`: out of it, for good. */
export interface MaintenanceStep {
  readonly action: 'delete' | 'purge';
  readonly reason: 'age' | 'count' | 'disk' | 'retention';
  readonly session: SessionMeta;
}

/** What stays although a limit would have it go. */
export interface Spared {
  readonly session: SessionMeta;
  readonly reason: 'pinned' | 'archived' | 'running';
}

export interface MaintenancePlan {
  readonly steps: readonly MaintenanceStep[];
  readonly spared: readonly Spared[];
  /** Sessions outside the bin, now and afterwards. */
  readonly before: number;
  readonly after: number;
}

/** Nothing leaves the bin before it, however little room there is: somebody may want it back. */
const LEAST_TIME_IN_BIN_MS = 24 * 3_600_000;

/**
 * What keeping to the limits would do, and why; pure, and in the order in which it is to be done. `sessions` are all
 * there are, in any order, those in the bin as well. The limits are judged each by itself. Pinned and archived
 * sessions and those in which a turn runs are never touched, though they count; of the others those that a
 * machine opened (jobs, hooks, sub-agents) go first, then the oldest.
 */
export function planMaintenance(
  sessions: readonly SessionMeta[],
  limits: MaintenanceLimits,
  facts: MaintenanceFacts,
): MaintenancePlan {
  const live = sessions.filter(({ deletedAt }) => deletedAt === undefined).toSorted(byDispensability);
  const binned = sessions
    .filter((session) => session.deletedAt !== undefined || session.bin !== undefined)
    .filter(({ key }) => !facts.running(key))
    .toSorted((one, other) => compare(binnedAt(one), binnedAt(other)));
  const draft = createDraft(facts.running);
  dropOld(draft, live, limits, facts);
  dropSurplus(draft, live, limits);
  emptyBin(draft, binned, limits, facts);
  relieveDisk(draft, live, binned, limits, facts);
  return {
    steps: draft.steps,
    spared: [...draft.spared.values()],
    before: live.length,
    after: live.length - draft.leaving.size,
  };
}

/** A plan while it is made: each session goes one way at most. */
interface Draft {
  readonly steps: MaintenanceStep[];
  readonly spared: Map<string, Spared>;
  readonly leaving: Set<string>;
  readonly purged: Set<string>;
  /** Into the bin; false where the session is protected. */
  leave(session: SessionMeta, reason: MaintenanceStep['reason']): boolean;
  /** Out of it, for good. */
  purge(session: SessionMeta, reason: MaintenanceStep['reason']): void;
}

function createDraft(running: (key: string) => boolean): Draft {
  const draft: Draft = {
    steps: [],
    spared: new Map(),
    leaving: new Set(),
    purged: new Set(),
    leave(session, reason) {
      const protection = protectionOf(session, running);
      if (protection !== undefined) draft.spared.set(session.key, { session, reason: protection });
      else {
        draft.leaving.add(session.key);
        draft.steps.push({ action: 'delete', reason, session });
      }
      return protection === undefined;
    },
    purge(session, reason) {
      draft.purged.add(session.key);
      draft.steps.push({ action: 'purge', reason, session });
    },
  };
  return draft;
}

function dropOld(
  draft: Draft,
  live: readonly SessionMeta[],
  { pruneAfterMs = Number.POSITIVE_INFINITY }: MaintenanceLimits,
  { now }: MaintenanceFacts,
): void {
  for (const session of live) if (age(session.activeAt, now) > pruneAfterMs) draft.leave(session, 'age');
}

function dropSurplus(
  draft: Draft,
  live: readonly SessionMeta[],
  { maxSessions = Number.POSITIVE_INFINITY }: MaintenanceLimits,
): void {
  for (const session of live) {
    if (live.length - draft.leaving.size <= maxSessions) return;
    if (!draft.leaving.has(session.key)) draft.leave(session, 'count');
  }
}

function emptyBin(
  draft: Draft,
  binned: readonly SessionMeta[],
  { purgeAfterMs = Number.POSITIVE_INFINITY }: MaintenanceLimits,
  { now }: MaintenanceFacts,
): void {
  for (const session of binned) {
    if (isUntouched(draft, session) && age(binnedAt(session), now) > purgeAfterMs)
      draft.purge(session, 'retention');
  }
}

/** A session goes one way at a time: of one that goes into the bin as a whole, a purge would destroy the whole. */
function isUntouched({ leaving, purged }: Draft, { key }: SessionMeta): boolean {
  return !leaving.has(key) && !purged.has(key);
}

/** What goes into the bin gives room only when a later run takes it out; it is counted as given all the same. */
function relieveDisk(
  draft: Draft,
  live: readonly SessionMeta[],
  binned: readonly SessionMeta[],
  { disk }: MaintenanceLimits,
  { now, usedBytes = 0, bytesOf = () => 0 }: MaintenanceFacts,
): void {
  if (disk === undefined || usedBytes <= disk.maxBytes) return;
  let surplus = usedBytes - disk.highWaterBytes;
  for (const { session } of draft.steps) surplus -= bytesOf(session);
  for (const session of binned) {
    if (surplus <= 0) return;
    if (!isUntouched(draft, session)) continue;
    // What came into the bin of late stays there for now, and is no reason to send others after it.
    if (age(binnedAt(session), now) >= LEAST_TIME_IN_BIN_MS) draft.purge(session, 'disk');
    surplus -= bytesOf(session);
  }
  for (const session of live) {
    if (surplus <= 0) return;
    if (isUntouched(draft, session) && draft.leave(session, 'disk')) surplus -= bytesOf(session);
  }
}

/** A session is pinned by its attribute `pinned`. */
export function isPinned({ attributes }: Pick<SessionMeta, 'attributes'>): boolean {
  return attributes.pinned === true;
}

function protectionOf(session: SessionMeta, running: (key: string) => boolean): Spared['reason'] | undefined {
  if (isPinned(session)) return 'pinned';
  if (session.archivedAt !== undefined) return 'archived';
  return running(session.key) ? 'running' : undefined;
}

/** First what no person opened, then by the last message, oldest first. */
function byDispensability(one: SessionMeta, other: SessionMeta): number {
  return (
    Number(isSynthetic(other)) - Number(isSynthetic(one)) ||
    compare(one.activeAt, other.activeAt) ||
    compare(one.key, other.key)
  );
}

function isSynthetic({ key }: SessionMeta): boolean {
  return /^(?:cron|hook|subagent|acp):/.test(parseAgentKey(key)?.rest ?? key);
}

/** When what lies in the bin came there. */
function binnedAt({ deletedAt, bin }: SessionMeta): string {
  return deletedAt ?? bin?.deletedAt ?? '';
}

/** A time that cannot be read is no reason to destroy anything. */
function age(time: string, now: Date): number {
  const instant = Date.parse(time);
  return Number.isNaN(instant) ? 0 : now.getTime() - instant;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
