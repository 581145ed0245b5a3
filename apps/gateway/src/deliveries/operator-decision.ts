import type { Delivery, DeliveryStore } from '@x/session-sqlite';
import { RequestError } from '../request-error.js';

/** Works on it again from the beginning. Throws `RequestError` where that makes no sense. */
export async function replayDelivery(store: DeliveryStore, id: number, now: Date): Promise<Delivery> {
  const delivery = await deliveryOf(store, id);
  const isAnswered = delivery.queue === 'inbox' && delivery.state === 'done';
  if (delivery.state === 'waiting' || delivery.state === 'running' || isAnswered) {
    const why = isAnswered ? 'was answered; replay its reply instead' : 'is being worked on already';
    throw new RequestError(409, 'delivery_not_replayable', `The delivery ${id} ${why}.`);
  }
  return store.change(id, { state: 'waiting', attempts: 0, dueAt: now, reason: null });
}

/** Lets go of it: it is not worked on again. Throws `RequestError` where it was settled or is being worked on. */
export async function dropDelivery(store: DeliveryStore, id: number): Promise<Delivery> {
  const { state } = await deliveryOf(store, id);
  if (state === 'done' || state === 'running') {
    const why = state === 'done' ? 'is done' : 'is being worked on at this moment; try again';
    throw new RequestError(409, 'delivery_not_droppable', `The delivery ${id} ${why}.`);
  }
  return store.change(id, { state: 'dropped', reason: 'Dropped by the operator.' });
}

export async function deliveryOf(store: DeliveryStore, id: number): Promise<Delivery> {
  const delivery = await store.get(id);
  if (delivery === undefined) {
    throw new RequestError(404, 'delivery_not_found', `There is no delivery ${id}, or not any more.`);
  }
  return delivery;
}
