import type {
  Change,
  Found,
  Need,
  SessionBackend,
  SessionDriver,
  SessionMeta,
  StoredMessage,
} from '../../src/index.js';

/** A store that breaks one promise: what its driver does otherwise, or what its backend does. */
export interface Wrong {
  driver?(right: SessionDriver): SessionDriver;
  backend?(right: SessionBackend, driver: SessionDriver): SessionBackend;
}

/** By the promise that it breaks. */
export type Wrongs = { readonly [promise: string]: Wrong };

export function driverThat(differs: (right: SessionDriver) => Partial<SessionDriver>): Wrong {
  return { driver: (right) => ({ ...right, ...differs(right) }) };
}

export function backendThat(
  differs: (right: SessionBackend, driver: SessionDriver) => Partial<SessionBackend>,
): Wrong {
  return { backend: (right, driver) => ({ ...right, ...differs(right, driver) }) };
}

/** Every transaction sees and stores something else than it should. */
export function transacting(
  seen: (found: Found, need: Need) => Found,
  stored: (changes: readonly Change[], found: Found) => readonly Change[] = (changes) => changes,
): Wrong {
  return driverThat((right) => ({
    transact: (need, decide) => right.transact(need, (found) => stored(decide(seen(found, need)), found)),
  }));
}

export type Written = Exclude<Change, { readonly remove: true }>;

/** Every change that writes is another. */
export function changing(edit: (change: Written, before: SessionMeta | undefined) => Change): Wrong {
  return transacting(
    (found) => found,
    (changes, found) =>
      changes.map((change) => ('remove' in change ? change : edit(change, found.sessions.get(change.key)))),
  );
}

export function storing(edit: (message: StoredMessage) => StoredMessage): Wrong {
  return changing((change) =>
    change.append === undefined ? change : { ...change, append: change.append.map(edit) },
  );
}

export function recording(edit: (meta: SessionMeta) => SessionMeta): Wrong {
  return changing((change) => ({ ...change, meta: edit(change.meta) }));
}

export function claiming(edit: (aliases: readonly string[]) => readonly string[]): Wrong {
  return changing((change) =>
    change.claim === undefined ? change : { ...change, claim: edit(change.claim) },
  );
}

/** Ids are never looked up. */
export const forgettingIds = transacting((found) => ({ ...found, seqs: new Map() }));

/** A session without messages begins to count anew. */
export const countingAnew = recording((meta) => (meta.messageCount === 0 ? { ...meta, lastSeq: 0 } : meta));

/** Nothing is ever dropped from the front. */
export const hoarding = changing(({ dropThrough: _kept, ...change }) => change);

/** Nothing is ever dropped from the end. */
export const neverUndoing = changing(({ dropAfter: _kept, ...change }) => change);

/** Any change counts as activity. */
export const restless = recording((meta) => ({ ...meta, activeAt: meta.updatedAt }));

/** A write that should change nothing leaves a trace. */
export async function trace(backend: SessionBackend, key: string): Promise<void> {
  await backend.ensure(key, { attributes: { trace: crypto.randomUUID() } });
}
