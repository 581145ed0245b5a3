import { type JsonValue, StoreFailed } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import type { Delivery, DeliveryChange, DeliveryQuery, DeliveryState, NewDelivery } from './delivery.js';

interface Row {
  readonly id: number;
  readonly queue: string;
  readonly lane: string;
  readonly name: string;
  readonly channel: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly due_at: number;
  readonly reason: string | null;
  readonly payload_json: string;
  readonly result_json: string | null;
  readonly cause_id: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function createDeliveryTable(database: Database) {
  const insert = database.prepare(
    `INSERT INTO deliveries(queue, lane, name, channel, state, attempts, due_at, payload_json, cause_id, created_at, updated_at)
     VALUES (@queue, @lane, @name, @channel, @state, 0, @now, @payload, @cause, @now, @now)
     ON CONFLICT(queue, name) DO NOTHING`,
  );
  const byName = database.prepare<[string, string], Row>(
    'SELECT * FROM deliveries WHERE queue = ? AND name = ?',
  );
  const byId = database.prepare<[number], Row>('SELECT * FROM deliveries WHERE id = ?');
  const first = database.prepare<[string, string], Row>(
    `SELECT * FROM deliveries INDEXED BY deliveries_open
     WHERE queue = ? AND lane = ? AND state IN ('waiting', 'running') ORDER BY id LIMIT 1`,
  );
  const lanes = database
    .prepare<[string], string>(
      `SELECT DISTINCT lane FROM deliveries INDEXED BY deliveries_open
       WHERE queue = ? AND state IN ('waiting', 'running') ORDER BY lane`,
    )
    .pluck();
  const update = database.prepare(
    `UPDATE deliveries SET state = @state, attempts = @attempts, due_at = @due, reason = @reason,
       payload_json = @payload, result_json = @result, updated_at = @now WHERE id = @id`,
  );
  const count = database
    .prepare<[string, string], number>('SELECT count(*) FROM deliveries WHERE queue = ? AND state = ?')
    .pluck();
  const forget = database.prepare(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries INDEXED BY deliveries_settled
       WHERE state IN ('done', 'dropped') AND updated_at < ? LIMIT ?)`,
  );

  function get(id: number): Delivery | undefined {
    const row = byId.get(id);
    return row === undefined ? undefined : deliveryOf(row);
  }
  return {
    get,
    find(queue: string, name: string): Delivery | undefined {
      const row = byName.get(queue, name);
      return row === undefined ? undefined : deliveryOf(row);
    },
    first(queue: string, lane: string): Delivery | undefined {
      const row = first.get(queue, lane);
      return row === undefined ? undefined : deliveryOf(row);
    },
    lanes: (queue: string): readonly string[] => lanes.all(queue),
    count: (queue: string, state: DeliveryState): number => count.get(queue, state) ?? 0,
    forget: (before: Date, limit: number): number => forget.run(before.getTime(), limit).changes,

    put(delivery: NewDelivery, now: Date, causeId: number | undefined) {
      const { queue, lane, name, channel, state = 'waiting', payload } = delivery;
      const { changes } = insert.run({
        queue,
        lane,
        name,
        channel,
        state,
        now: now.getTime(),
        payload: JSON.stringify(payload),
        cause: causeId ?? null,
      });
      const row = byName.get(queue, name);
      if (row === undefined) throw new StoreFailed(`The delivery ${name} vanished while it was stored.`);
      return { delivery: deliveryOf(row), isNew: changes > 0 };
    },

    change(id: number, change: DeliveryChange, now: Date): Delivery {
      const before = get(id);
      if (before === undefined) throw new StoreFailed(`There is no delivery ${id}.`);
      const reason = change.reason === undefined ? before.reason : (change.reason ?? undefined);
      const { state, attempts, dueAt, payload, result } = { ...before, ...defined(change) };
      update.run({
        id,
        state,
        attempts,
        due: dueAt.getTime(),
        reason: reason ?? null,
        payload: JSON.stringify(payload),
        result: result === undefined ? null : JSON.stringify(result),
        now: now.getTime(),
      });
      return { ...before, state, attempts, dueAt, payload, result, reason, updatedAt: now };
    },

    list({ queue, state, channel, causeId, before, limit }: DeliveryQuery): readonly Delivery[] {
      const conditions = [
        ...(queue === undefined ? [] : ['queue = @queue']),
        ...(state === undefined ? [] : ['state = @state']),
        ...(channel === undefined ? [] : ['channel = @channel']),
        ...(causeId === undefined ? [] : ['cause_id = @causeId']),
        ...(before === undefined ? [] : ['id < @before']),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      return database
        .prepare<[Readonly<Record<string, unknown>>], Row>(
          `SELECT * FROM deliveries ${where} ORDER BY id DESC LIMIT @limit`,
        )
        .all({ queue, state, channel, causeId, before, limit })
        .map(deliveryOf);
    },
  };
}

function defined({ reason: _, ...change }: DeliveryChange): Partial<Delivery> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    queue: row.queue,
    lane: row.lane,
    name: row.name,
    channel: row.channel,
    state: row.state,
    attempts: row.attempts,
    dueAt: new Date(row.due_at),
    reason: row.reason ?? undefined,
    payload: JSON.parse(row.payload_json) as JsonValue,
    result: row.result_json === null ? undefined : (JSON.parse(row.result_json) as JsonValue),
    causeId: row.cause_id ?? undefined,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}
