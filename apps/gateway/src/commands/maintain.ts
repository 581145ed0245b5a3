import { maintainSessions } from '@x/session-store/policies';
import { z } from 'zod';
import type { Configuration } from '../configuration/configuration.js';
import { type MaintenanceView, viewMaintenance } from '../maintenance/maintenance-view.js';
import { storeBytes } from '../maintenance/store-size.js';
import { openForReading } from '../stores/open-store.js';
import type { StoreReference } from '../stores/store-reference.js';
import { openHere } from './open-here.js';
import { gatewayOn } from './running-gateway.js';
import { table } from './table.js';

const viewSchema = z.object({
  enforced: z.boolean(),
  before: z.number(),
  after: z.number(),
  steps: z.array(
    z.object({
      action: z.enum(['delete', 'purge']),
      reason: z.enum(['age', 'count', 'disk', 'retention']),
      key: z.string(),
      title: z.string().nullable(),
      active_at: z.string(),
      message_count: z.number(),
      done: z.boolean(),
    }),
  ),
  spared: z.array(z.object({ key: z.string(), title: z.string().nullable(), reason: z.string() })),
});

/** Keeps a store to the configured limits: by the gateway that runs on it, which knows where turns run, else here. */
export async function maintain(
  store: StoreReference,
  configuration: Configuration,
  isEnforced: boolean,
): Promise<MaintenanceView> {
  const running = await gatewayOn(store, configuration);
  if (running !== undefined)
    return viewSchema.parse(await running.ask('POST', '/api/maintenance', { enforce: isEnforced }));
  const backend = isEnforced ? await openHere(store) : await openForReading(store);
  if (backend === undefined) return { enforced: isEnforced, before: 0, after: 0, steps: [], spared: [] };
  try {
    const report = await maintainSessions(backend, configuration.maintenance.limits, {
      now: new Date(),
      running: () => false,
      usedBytes: () => storeBytes(store),
      enforce: isEnforced,
    });
    return viewMaintenance(report, isEnforced);
  } finally {
    await backend.close();
  }
}

const WHY = {
  age: 'nothing said for too long',
  count: 'more than max_sessions',
  disk: 'more than max_disk_mb',
  retention: 'in the bin for long enough',
} as const;

export function describeMaintenance({ enforced, before, after, steps, spared }: MaintenanceView): string {
  const rows = steps.map(({ action, reason, key, title, active_at, done }) => [
    action === 'delete' ? 'into the bin' : 'destroyed',
    WHY[reason],
    active_at.slice(0, 16).replace('T', ' '),
    title ?? '',
    key,
    enforced && !done ? '(passed over)' : '',
  ]);
  return [
    steps.length === 0 ? '' : table(['WHAT', 'WHY', 'LAST SAID', 'NAME', 'KEY', ''], rows),
    ...spared.map(({ key, reason }) => `Stays: ${key} (${reason})\n`),
    enforced || steps.length === 0 ? '' : 'Nothing was changed; --enforce does it.\n',
    `${before} sessions, ${after} ${enforced ? 'now' : 'then'}.\n`,
  ].join('');
}
