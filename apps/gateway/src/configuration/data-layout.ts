import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { holdsLegacySessions } from '@x/memory-jsonl';
import type { StoreReference } from '../stores/store-reference.js';
import type { Configuration } from './configuration.js';

/** Where things lie in the data folder. */
export interface DataLayout {
  /** The sessions. */
  readonly store: StoreReference;
  /** What the gateway keeps of its own running: nothing that another program reads. */
  readonly state: string;
  readonly turns: string;
  /** The database of what is kept beside the sessions: theirs, where they are in one. */
  readonly operations: string;
  readonly address: string;
  /** What was changed through the API, and by whom. */
  readonly audit: string;
  /** Which chats and threads lead elsewhere than they are routed. */
  readonly bindings: string;
}

/**
 * Session files lie in `sessions/` of the data folder, a database in its `sessions.sqlite`. A folder that holds session
 * files itself (PicoClaw's sessions folder) is opened as it is, and so is one whose `sessions/` does (PicoClaw's
 * workspace).
 */
export function dataLayout({ data, store }: Pick<Configuration, 'data' | 'store'>): DataLayout {
  const state = join(data, '.holdfast', 'gateway');
  const sessions: StoreReference =
    store.kind === 'sqlite'
      ? { kind: 'sqlite', path: store.path ?? join(data, 'sessions.sqlite') }
      : {
          kind: 'jsonl',
          path: store.path === undefined ? sessionsOfData(data) : sessionsOfStore(store.path),
        };
  return {
    store: sessions,
    state,
    turns: join(state, 'turns'),
    operations: sessions.kind === 'sqlite' ? sessions.path : join(state, 'holdfast.sqlite'),
    address: join(state, 'gateway.json'),
    audit: join(state, 'audit.jsonl'),
    bindings: join(state, 'bindings.json'),
  };
}

function sessionsOfData(folder: string): string {
  return holdsSessions(folder) ? folder : join(folder, 'sessions');
}

/** A folder named as the store is the sessions folder, but where it is a workspace. */
export function sessionsOfStore(folder: string): string {
  const inside = join(folder, 'sessions');
  return !holdsSessions(folder) && holdsSessions(inside) ? inside : folder;
}

function holdsSessions(folder: string): boolean {
  try {
    return (
      readdirSync(folder).some((name) => name.endsWith('.jsonl') || name.endsWith('.meta.json')) ||
      holdsLegacySessions(folder)
    );
  } catch {
    return false;
  }
}
