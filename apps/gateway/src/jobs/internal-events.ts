import type { AgentRuntime } from '@x/agent-runtime';
import type { SessionBackend } from '@x/session-store';
import { maintainSessions } from '@x/session-store/policies';
import type { MaintenanceSettings } from '../configuration/session-settings.js';
import type { LiveFeed } from '../live-feed.js';
import type { Log } from '../log.js';

export interface EventHouse {
  readonly backend: SessionBackend;
  readonly runtime: AgentRuntime;
  readonly feed: LiveFeed;
  readonly clock: () => Date;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly configuration: { readonly maintenance: MaintenanceSettings };
}

/** What a job of the kind `internal_event` can set off in the gateway itself, by name. */
const EVENTS: Readonly<Record<string, (house: EventHouse) => Promise<void>>> = {
  session_cleanup: cleanUpSessions,
};

/** Rejects where there is no such event. */
export async function runInternalEvent(house: EventHouse, event: string): Promise<void> {
  const act = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
  if (act === undefined) {
    const known = Object.keys(EVENTS).join(', ');
    throw new Error(`There is no internal event ${JSON.stringify(event)}; there are: ${known}.`);
  }
  await act(house);
}

/** Keeps the store to the limits of `session.maintenance`, or says what that would do where it is not enforced. */
async function cleanUpSessions({
  backend,
  runtime,
  configuration,
  clock,
  log,
  feed,
}: EventHouse): Promise<void> {
  const { limits, isEnforced } = configuration.maintenance;
  const { steps, done, passedOver } = await maintainSessions(backend, limits, {
    now: clock(),
    running: (key) => runtime.running(key) !== undefined,
    enforce: isEnforced,
  });
  for (const { action, session } of done) if (action === 'delete') feed.sessionDeleted(session.key);
  if (steps.length === 0) return;
  const counts = { steps: steps.length, done: done.length, passedOver: passedOver.length };
  if (isEnforced) log.info(counts, 'Sessions were cleaned up.');
  else log.warn(counts, 'Sessions are beyond the limits; session.maintenance.mode is "warn".');
}
