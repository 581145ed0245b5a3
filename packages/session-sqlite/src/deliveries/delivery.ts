import type { JsonValue } from '@x/session-store';

/**
 * Where a delivery stands. `waiting`: to be worked on when due · `running`: somebody works on it, or did when the
 * process died · `done` · `unknown`: it was given away and nobody knows whether it arrived · `aside`: given up, with
 * a reason · `dropped`: by the operator's word.
 */
export type DeliveryState = 'waiting' | 'running' | 'done' | 'unknown' | 'aside' | 'dropped';

export interface NewDelivery {
  readonly queue: string;
  /** Deliveries of a lane are worked on one after the other, in the order they came. */
  readonly lane: string;
  /** What makes it the same one when it comes again; unique within the queue. */
  readonly name: string;
  /** For whom looks at the list. */
  readonly channel: string;
  readonly payload: JsonValue;
  /** Default `waiting`. */
  readonly state?: DeliveryState;
}

export interface Delivery extends Required<NewDelivery> {
  readonly id: number;
  /** How often somebody began to work on it. */
  readonly attempts: number;
  readonly dueAt: Date;
  readonly reason: string | undefined;
  readonly result: JsonValue | undefined;
  /** The delivery that it follows from. */
  readonly causeId: number | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What changes of a delivery; what is not named stays. */
export interface DeliveryChange {
  readonly state?: DeliveryState;
  /** `null` takes it away. */
  readonly reason?: string | null;
  readonly result?: JsonValue;
  readonly payload?: JsonValue;
  readonly dueAt?: Date;
  readonly attempts?: number;
}

export interface DeliveryQuery {
  readonly queue?: string;
  readonly state?: DeliveryState;
  readonly channel?: string;
  readonly causeId?: number;
  /** Only those with smaller ids. */
  readonly before?: number;
  readonly limit: number;
}
