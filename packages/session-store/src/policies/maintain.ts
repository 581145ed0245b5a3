import type { SessionBackend } from '../backend.js';
import { SessionNotFound } from '../errors.js';
import type { SessionMeta } from '../session-meta.js';
import {
  type MaintenanceFacts,
  type MaintenanceLimits,
  type MaintenancePlan,
  type MaintenanceStep,
  planMaintenance,
} from './maintenance-plan.js';

export interface MaintenanceOptions {
  readonly now: Date;
  /** Whether a turn runs in a session; asked again before it is touched. */
  readonly running: (key: string) => boolean;
  /** Room that the store takes, in bytes; asked only where the limits have a `disk`. */
  readonly usedBytes?: () => Promise<number>;
  /** False: only says what would be done. */
  readonly enforce: boolean;
}

export interface MaintenanceReport extends MaintenancePlan {
  /** What was done of `steps`; nothing unless enforced. */
  readonly done: readonly MaintenanceStep[];
  /** What was not: the session was spoken to, changed or taken away while the others were seen to. */
  readonly passedOver: readonly MaintenanceStep[];
}

/**
 * Keeps a store to its limits. Sessions go into the bin and nowhere else; what is destroyed has lain in the bin for as
 * long as the limits say. Reads the records of all sessions and no messages. Can be run again at any time, also after it
 * was cut off.
 */
export async function maintainSessions(
  backend: SessionBackend,
  limits: MaintenanceLimits,
  options: MaintenanceOptions,
): Promise<MaintenanceReport> {
  const { now, running, enforce } = options;
  const sessions = await allSessions(backend);
  const plan = planMaintenance(sessions, limits, {
    now,
    running,
    ...(await diskFacts(sessions, limits, options)),
  });
  const done: MaintenanceStep[] = [];
  const passedOver: MaintenanceStep[] = [];
  if (enforce) {
    for (const step of plan.steps) {
      const isDone = !running(step.session.key) && (await take(backend, step));
      (isDone ? done : passedOver).push(step);
    }
  }
  return { ...plan, done, passedOver };
}

/** Every session, in the bin and out of it, each once. */
async function allSessions(backend: SessionBackend): Promise<readonly SessionMeta[]> {
  const found = new Map<string, SessionMeta>();
  for (const deleted of [false, true]) {
    let cursor: string | undefined;
    do {
      const page = await backend.list({ deleted, archived: 'include', limit: 1000 }, cursor);
      for (const session of page.sessions) found.set(session.key, session);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
  return [...found.values()];
}

async function diskFacts(
  sessions: readonly SessionMeta[],
  { disk }: MaintenanceLimits,
  { usedBytes }: MaintenanceOptions,
): Promise<Pick<MaintenanceFacts, 'usedBytes' | 'bytesOf'>> {
  if (disk === undefined || usedBytes === undefined) return {};
  const used = await usedBytes();
  if (used <= disk.maxBytes) return { usedBytes: used };
  // What a session takes is its share of the messages: exact enough to know where to stop.
  const messages = sessions.reduce((sum, session) => sum + storedIn(session), 0);
  const bytesEach = used / Math.max(1, messages);
  return { usedBytes: used, bytesOf: (session) => storedIn(session) * bytesEach };
}

function storedIn({ messageCount, bin }: SessionMeta): number {
  return messageCount + (bin?.count ?? 0);
}

/** False where the session is not any more as it was when the plan was made. */
async function take(backend: SessionBackend, { action, session }: MaintenanceStep): Promise<boolean> {
  try {
    const current = await backend.meta(session.key);
    if (action === 'purge') {
      // Deleted as a whole since: a purge would take more than what lay in the bin.
      if (current === undefined && session.deletedAt === undefined) return false;
      await backend.purge(session.key);
      return true;
    }
    if (current?.revision !== session.revision) return false;
    await backend.delete(session.key);
    return true;
  } catch (error) {
    if (error instanceof SessionNotFound) return false;
    throw error;
  }
}
