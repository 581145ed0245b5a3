import { type Cell, createCell } from './cell.js';

/** A message that the gateway has not confirmed yet. */
export interface Outgoing {
  /** Also the stored message's id: sending it again never stores it twice. */
  readonly id: string;
  /** The session's key, or the name of a new chat. */
  readonly target: string;
  readonly text: string;
  readonly createdAt: string;
  readonly state: 'sending' | 'failed';
  /** Why it failed, in a sentence. */
  readonly error?: string;
}

export interface Outbox {
  readonly cell: Cell<readonly Outgoing[]>;
  put(outgoing: Outgoing): void;
  remove(id: string): void;
}

const storageKey = 'holdfast.outbox';

/** Unconfirmed messages, kept for the tab's lifetime, so that a reload loses none. */
export function createOutbox(storage: Pick<Storage, 'getItem' | 'setItem'>): Outbox {
  const cell = createCell<readonly Outgoing[]>(read(storage));
  cell.subscribe(() => storage.setItem(storageKey, JSON.stringify(cell.get())));
  return {
    cell,
    put(outgoing) {
      cell.update((all) => {
        const at = all.findIndex(({ id }) => id === outgoing.id);
        return at < 0 ? [...all, outgoing] : all.with(at, outgoing);
      });
    },
    remove(id) {
      cell.update((all) => all.filter((outgoing) => outgoing.id !== id));
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>): Outgoing[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
