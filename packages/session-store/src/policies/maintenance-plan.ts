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
  const now = facts.now.getTime();
  const live = sessions.filter(({ deletedAt }) => deletedAt === undefined);
  const spared = new Map<string, Spared>();
  const steps: MaintenanceStep[] = [];
  const leaving = new Set<string>();

  function leave(session: SessionMeta, reason: MaintenanceStep['reason']): boolean {
    const protection = protectionOf(session, facts.running);
    if (protection === undefined) {
      leaving.add(session.key);
      steps.push({ action: 'delete', reason, session });
      return true;
    }
    spared.set(session.key, { session, reason: protection });
    return false;
  }

  const { pruneAfterMs, maxSessions, purgeAfterMs, disk } = limits;
  const oldestFirst = live.toSorted(byDispensability);
  if (pruneAfterMs !== undefined)
    for (const session of oldestFirst) if (age(session.activeAt, now) > pruneAfterMs) leave(session, 'age');

  let excess = live.length - leaving.size - (maxSessions ?? Number.POSITIVE_INFINITY);
  for (const session of oldestFirst) {
    if (excess <= 0) break;
    if (!leaving.has(session.key) && leave(session, 'count')) excess -= 1;
  }

  const binned = sessions
    .filter((session) => session.deletedAt !== undefined || session.bin !== undefined)
    .filter(({ key }) => !facts.running(key))
    .toSorted((one, other) => compare(binnedAt(one), binnedAt(other)));
  const purged = new Set<string>();
  function purge(session: SessionMeta, reason: MaintenanceStep['reason']): void {
    purged.add(session.key);
    steps.push({ action: 'purge', reason, session });
  }
  if (purgeAfterMs !== undefined)
    for (const session of binned) if (age(binnedAt(session), now) > purgeAfterMs) purge(session, 'retention');

  const { usedBytes = 0, bytesOf = () => 0 } = facts;
  if (disk !== undefined && usedBytes > disk.maxBytes) {
    let surplus = usedBytes - disk.highWaterBytes;
    for (const session of binned) if (purged.has(session.key)) surplus -= bytesOf(session);
    for (const session of binned) {
      if (surplus <= 0) break;
      if (purged.has(session.key) || age(binnedAt(session), now) < LEAST_TIME_IN_BIN_MS) continue;
      purge(session, 'disk');
      surplus -= bytesOf(session);
    }
    for (const session of oldestFirst) if (leaving.has(session.key)) surplus -= bytesOf(session);
    for (const session of oldestFirst) {
      if (surplus <= 0) break;
      if (!leaving.has(session.key) && leave(session, 'disk')) surplus -= bytesOf(session);
    }
  }
  return {
    steps,
    spared: [...spared.values()],
    before: live.length,
    after: live.length - leaving.size,
  };
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
export function binnedAt({ deletedAt, bin }: SessionMeta): string {
  return deletedAt ?? bin?.deletedAt ?? '';
}

/** A time that cannot be read is no reason to destroy anything. */
function age(time: string, now: number): number {
  const instant = Date.parse(time);
  return Number.isNaN(instant) ? 0 : now - instant;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
