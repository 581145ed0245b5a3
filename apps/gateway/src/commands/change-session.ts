import type { SessionBackend, SessionMeta } from '@x/session-store';
import type { Configuration } from '../configuration/configuration.js';
import { RunError } from '../run-error.js';
import { type SessionView, viewSession } from '../session-view.js';
import { openForReading } from '../stores/open-store.js';
import type { StoreReference } from '../stores/store-reference.js';
import { confirm } from './confirmation.js';
import { openHere } from './open-here.js';
import { gatewayOn, type RunningGateway } from './running-gateway.js';
import type { SessionAction } from './session-action.js';
import { deletedNamed, sessionNamed } from './session-reading.js';

export interface SessionChange {
  readonly action: SessionAction;
  /** A key, an alias or a name. */
  readonly name: string;
  readonly isConfirmed: boolean;
  /** What the HTTP interface is told besides. */
  readonly body?: unknown;
}

export interface ChangedSession {
  /** As it was. */
  readonly before: SessionView;
  /** As it is, where there is anything left to see. */
  readonly after: SessionView | undefined;
}

/** Does something to a session: by the gateway that runs on the store, where one does, else here. */
export async function changeSession(
  store: StoreReference,
  configuration: () => Promise<Configuration>,
  change: SessionChange,
): Promise<ChangedSession> {
  const running = await gatewayOn(store, await configuration());
  // What a gateway has no word for can be done beside it, where the store has room for two.
  const isForHere = change.action.remote === undefined && store.kind === 'sqlite';
  return running === undefined || isForHere ? changeHere(store, change) : changeThere(running, change);
}

async function changeThere(gateway: RunningGateway, change: SessionChange): Promise<ChangedSession> {
  const { action, name, isConfirmed, body } = change;
  const { remote } = action;
  if (remote === undefined) {
    throw new RunError(
      `A gateway runs on these sessions, and has no ${action.name}: stop it first (StoreLocked).`,
    );
  }
  const before = action.ofDeleted === true ? await gateway.findDeleted(name) : await gateway.find(name);
  if (action.question !== undefined) await confirm(action.question(titleOf(before)), isConfirmed);
  return { before, after: await gateway.change(remote.method, before.key, remote.path, body) };
}

async function changeHere(store: StoreReference, change: SessionChange): Promise<ChangedSession> {
  const { action, name, isConfirmed } = change;
  // Asked before the store is opened, so that nobody is kept out of it while a person thinks.
  const reading = await openForReading(store);
  let before: SessionView;
  try {
    before = viewSession(await find(reading, action, name));
  } finally {
    await reading?.close();
  }
  if (action.question !== undefined) await confirm(action.question(titleOf(before)), isConfirmed);
  const backend = await openHere(store);
  try {
    const { key } = await find(backend, action, name);
    const after = await action.here(backend, key);
    return { before, after: after === undefined ? undefined : viewSession(after) };
  } finally {
    await backend.close();
  }
}

function find(
  backend: SessionBackend | undefined,
  action: SessionAction,
  name: string,
): Promise<SessionMeta> {
  return action.ofDeleted === true && backend !== undefined
    ? deletedNamed(backend, name)
    : sessionNamed(backend, name);
}

function titleOf({ key, title }: SessionView): string {
  return title === null ? key : `"${title}" (${key})`;
}
