import {
  createMemoryBackend,
  createSessionStore,
  type SessionBackend,
  type SessionStore,
} from '@x/session-store';

/** What a sub-turn may say and hear before the oldest of it is forgotten. */
const KEPT_MESSAGES = 50;

/** A backend in memory that keeps the newest messages of each session and forgets the others for good. */
export function createEphemeralBackend(keptMessages = KEPT_MESSAGES): SessionBackend {
  const memory = createMemoryBackend();
  /** Nobody sees what is about to be forgotten. */
  let forgetting: Promise<unknown> = Promise.resolve();

  async function append(...[key, messages, guard]: Parameters<SessionBackend['append']>) {
    const places = await memory.append(key, messages, guard);
    const meta = await memory.meta(key);
    if (meta !== undefined && meta.activeCount > keptMessages) {
      await memory.truncate(key, { keepLast: keptMessages }, guard);
      await memory.compact(key, guard);
    }
    return places;
  }

  return {
    ...memory,
    append(...given) {
      const appended = forgetting.then(() => append(...given));
      forgetting = appended.catch(() => {});
      return appended;
    },
    async read(...given) {
      await forgetting;
      return memory.read(...given);
    },
  };
}

/** The store of one sub-turn: in memory, bounded, gone with it. `save` and `close` have nothing to do, and do nothing. */
export function createEphemeralSessionStore(keptMessages = KEPT_MESSAGES): SessionStore {
  const store = createSessionStore(createEphemeralBackend(keptMessages));
  return {
    ...store,
    save() {},
    async close() {},
    get pending() {
      return store.pending;
    },
  };
}
