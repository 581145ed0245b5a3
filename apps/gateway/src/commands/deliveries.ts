import { createDeliveryStore, type DeliveryQuery } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { viewDelivery, viewWholeDelivery } from '../deliveries/delivery-view.js';
import { deliveryOf, dropDelivery, replayDelivery } from '../deliveries/operator-decision.js';
import { RunError } from '../run-error.js';
import { readingOperations, writingOperations } from './operations.js';
import { table } from './table.js';

export async function listDeliveries(
  configuration: Configuration,
  { queue, state, channel, limit, json }: Omit<DeliveryQuery, 'state'> & { state?: string; json?: boolean },
): Promise<string> {
  const query = {
    limit,
    ...(queue === undefined ? {} : { queue }),
    ...(state === undefined ? {} : { state: state as NonNullable<DeliveryQuery['state']> }),
    ...(channel === undefined ? {} : { channel }),
  };
  const found = await readingOperations(configuration, async (file) =>
    file === undefined ? [] : createDeliveryStore(file).list(query),
  );
  const views = found.map(viewDelivery);
  if (json === true) return `${JSON.stringify(views, null, 2)}\n`;
  if (views.length === 0) return 'No deliveries.\n';
  return table(
    ['ID', 'CREATED', 'QUEUE', 'CHANNEL', 'STATE', 'TRIES', 'REASON'],
    views.map((view) => [
      String(view.id),
      view.created_at.slice(0, 19).replace('T', ' '),
      view.queue,
      view.channel,
      view.state,
      String(view.attempts),
      view.reason ?? '',
    ]),
  );
}

/** As JSON in any case: what a delivery holds has no shape that fits a table. */
export async function showDelivery(configuration: Configuration, id: number): Promise<string> {
  return readingOperations(configuration, async (file) => {
    if (file === undefined) throw new RunError(`There is no delivery ${id}.`);
    const delivery = viewWholeDelivery(await deliveryOf(createDeliveryStore(file), id));
    return `${JSON.stringify({ delivery }, null, 2)}\n`;
  });
}

export async function decideDelivery(configuration: Configuration, id: number, action: 'replay' | 'drop') {
  return writingOperations(configuration, async (file) => {
    const store = createDeliveryStore(file);
    const decided =
      action === 'drop' ? await dropDelivery(store, id) : await replayDelivery(store, id, new Date());
    return { delivery: viewDelivery(decided) };
  });
}
