import { accessTo, type SqliteFile } from '../sqlite-file.js';
import type { Delivery, DeliveryChange, DeliveryQuery, NewDelivery } from './delivery.js';
import { createDeliveryTable } from './delivery-table.js';

/** What came in and what is to be said, kept until it is settled. Every write is on the disk when it resolves. */
export interface DeliveryStore {
  /** A delivery whose name its queue has seen is not taken again: `isNew` is false, and it is the one that was. */
  put(
    deliveries: readonly NewDelivery[],
  ): Promise<readonly { readonly delivery: Delivery; readonly isNew: boolean }[]>;
  /** The first of the lane that waits, due or not. */
  first(queue: string, lane: string): Promise<Delivery | undefined>;
  /** Every lane in which something waits. */
  lanes(queue: string): Promise<readonly string[]>;
  /** Those that were being worked on when the process died. */
  running(queue: string): Promise<readonly Delivery[]>;
  /** Changes a delivery and puts those that follow from it, all or none. */
  change(id: number, change: DeliveryChange, following?: readonly NewDelivery[]): Promise<Delivery>;
  get(id: number): Promise<Delivery | undefined>;
  find(queue: string, name: string): Promise<Delivery | undefined>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  count(queue: string, state: Delivery['state']): Promise<number>;
  /** Forgets what was settled before that moment, at most `limit`; a message with such a name would be new again. */
  forget(before: Date, limit: number): Promise<number>;
}

/** Deliveries in an open file. `clock` is what their times are taken from. */
export function createDeliveryStore(file: SqliteFile, clock: () => Date = () => new Date()): DeliveryStore {
  const access = accessTo(file);
  const table = createDeliveryTable(access.database);
  return {
    put: (deliveries) =>
      access.write(() => () => deliveries.map((each) => table.put(each, clock(), undefined))),
    first: (queue, lane) => access.read(() => table.first(queue, lane)),
    lanes: (queue) => access.read(() => table.lanes(queue)),
    running: (queue) => access.read(() => table.list({ queue, state: 'running', limit: -1 }).toReversed()),
    change: (id, change, following = []) =>
      access.write(() => () => {
        const now = clock();
        const changed = table.change(id, change, now);
        for (const each of following) table.put(each, now, id);
        return changed;
      }),
    get: (id) => access.read(() => table.get(id)),
    find: (queue, name) => access.read(() => table.find(queue, name)),
    list: (query) => access.read(() => table.list(query)),
    count: (queue, state) => access.read(() => table.count(queue, state)),
    forget: (before, limit) => access.write(() => () => table.forget(before, limit)),
  };
}
