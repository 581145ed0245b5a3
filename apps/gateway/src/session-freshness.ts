import type { AgentRuntime, TurnSession } from '@x/agent-runtime';
import { isMainAlias } from '@x/session-scope';
import type { SessionBackend, SessionMeta } from '@x/session-store';
import { dueReset, type ResetPolicy } from '@x/session-store/policies';
import type { LiveFeed } from './live-feed.js';
import type { Log } from './log.js';

export interface FreshnessHouse {
  readonly backend: SessionBackend;
  readonly runtime: AgentRuntime;
  readonly feed: LiveFeed;
  readonly log: Pick<Log, 'info'>;
  readonly clock: () => Date;
  readonly configuration: { readonly reset: ResetPolicy };
}

/**
 * Begins a conversation anew before the next message of a person, where the policy says that it has grown stale. Never
 * while a turn runs: what is said then belongs to it. To be called behind the session's gate, with what is `known` of
 * the session. A message that was stored before resets nothing.
 */
export async function freshen(
  house: FreshnessHouse,
  session: TurnSession,
  known: SessionMeta | undefined,
  messageId: string | undefined,
): Promise<void> {
  const { backend, runtime, feed, log, clock, configuration } = house;
  if (runtime.running(session.sessionKey) !== undefined || resetsNothing(configuration.reset)) return;
  const meta = isSpokenIn(known) ? known : await historyElsewhere(backend, session);
  const due = meta && dueReset(configuration.reset, meta, clock());
  if (meta === undefined || due === undefined) return;
  if (messageId !== undefined && (await wasSaid(backend, meta.key, messageId))) return;
  await backend.reset(meta.key, due);
  log.info({ session: meta.key, reason: due.reason }, 'A conversation was stale and begins anew.');
  feed.sessionChanged(meta.key);
}

/** A message that is sent again belongs to the conversation that it was said in: behind a reset nobody would answer it. */
async function wasSaid(backend: SessionBackend, key: string, messageId: string): Promise<boolean> {
  const newest = await backend.read(key, { order: 'desc', limit: 50 });
  return newest.some(({ id }) => id === messageId);
}

/** The older history that the turn is about to move into its session, as `promote` chooses it. */
async function historyElsewhere(
  backend: SessionBackend,
  { sessionKey, mainSessionKey, sessionAliases = [] }: TurnSession,
): Promise<SessionMeta | undefined> {
  for (const alias of sessionAliases) {
    if (isMainAlias(alias) && sessionKey !== mainSessionKey) continue;
    const key = await backend.resolve(alias);
    const found = key === undefined ? undefined : await backend.meta(key);
    if (isSpokenIn(found)) return found;
  }
  return undefined;
}

function isSpokenIn(meta: SessionMeta | undefined): meta is SessionMeta {
  return meta !== undefined && meta.lastSeq > 0;
}

function resetsNothing({ base, byKind, byChannel }: ResetPolicy): boolean {
  return [base, ...Object.values(byKind), ...Object.values(byChannel)].every(
    ({ dailyAtHour, idleMinutes }) => dailyAtHour === undefined && idleMinutes === undefined,
  );
}
