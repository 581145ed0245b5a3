import type { Delivery, Pairing } from '@x/session-sqlite';
import type { JsonValue } from '@x/session-store';

/** How the API and the command line write a delivery. */
export interface DeliveryView {
  readonly id: number;
  readonly queue: string;
  readonly channel: string;
  readonly name: string;
  readonly state: Delivery['state'];
  readonly attempts: number;
  readonly reason: string | null;
  readonly due_at: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly caused_by: number | null;
}

export function viewDelivery(delivery: Delivery): DeliveryView {
  const { id, queue, channel, name, state, attempts, reason, causeId } = delivery;
  return {
    id,
    queue,
    channel,
    name,
    state,
    attempts,
    reason: reason ?? null,
    due_at: delivery.dueAt.toISOString(),
    created_at: delivery.createdAt.toISOString(),
    updated_at: delivery.updatedAt.toISOString(),
    caused_by: causeId ?? null,
  };
}

/** With what it holds and what became of it. */
export function viewWholeDelivery(delivery: Delivery): DeliveryView & {
  readonly lane: string;
  readonly payload: JsonValue;
  readonly result: JsonValue;
} {
  const { lane, payload, result } = delivery;
  return { ...viewDelivery(delivery), lane, payload, result: result ?? null };
}

export interface PairingView {
  readonly channel: string;
  readonly sender_id: string;
  readonly name: string;
  readonly state: Pairing['state'];
  readonly code: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function viewPairing({
  channel,
  senderId,
  name,
  state,
  code,
  createdAt,
  updatedAt,
}: Pairing): PairingView {
  return {
    channel,
    sender_id: senderId,
    name,
    state,
    code: code ?? null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
