import type { AgentRuntime } from '@x/agent-runtime';
import type { SessionBackend } from '@x/session-store';
import { maintainSessions } from '@x/session-store/policies';
import type { DataLayout } from '../configuration/data-layout.js';
import type { MaintenanceSettings } from '../configuration/session-settings.js';
import type { LiveFeed } from '../live-feed.js';
import type { Log } from '../log.js';
import { type MaintenanceView, viewMaintenance } from './maintenance-view.js';
import { storeBytes } from './store-size.js';

export interface MaintenanceHouse {
  readonly backend: SessionBackend;
  readonly layout: Pick<DataLayout, 'store'>;
  readonly runtime: AgentRuntime;
  readonly feed: LiveFeed;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock: () => Date;
  readonly configuration: { readonly maintenance: MaintenanceSettings };
}

/**
 * Keeps the sessions of a running gateway to the configured limits, or says what that would do where the
 * configuration only warns. `enforce` asks for the one or the other, whatever is configured.
 */
export async function maintainGateway(
  house: MaintenanceHouse,
  { enforce = house.configuration.maintenance.isEnforced }: { readonly enforce?: boolean | undefined } = {},
): Promise<MaintenanceView> {
  const { backend, layout, runtime, feed, log, clock, configuration } = house;
  const report = await maintainSessions(backend, configuration.maintenance.limits, {
    now: clock(),
    running: (key) => runtime.running(key) !== undefined,
    usedBytes: () => storeBytes(layout.store),
    enforce,
  });
  for (const { action, session } of report.done) if (action === 'delete') feed.sessionDeleted(session.key);
  const { before, after, steps } = report;
  if (enforce && report.done.length > 0)
    log.info({ before, after, steps: report.done.length }, 'Sessions were kept to their limits.');
  else if (steps.length > 0)
    log.warn({ before, after, steps: steps.length }, 'There are more sessions than the limits say.');
  return viewMaintenance(report, enforce);
}
