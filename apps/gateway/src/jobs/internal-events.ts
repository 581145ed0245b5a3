import { type MaintenanceHouse, maintainGateway } from '../maintenance/maintain-gateway.js';

export type EventHouse = MaintenanceHouse;

/** What a job of the kind `internal_event` can set off in the gateway itself, by name. */
const EVENTS: Readonly<Record<string, (house: EventHouse) => Promise<unknown>>> = {
  /** Keeps the sessions to the limits of `session.maintenance`, or says what that would do where it only warns. */
  session_cleanup: maintainGateway,
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
