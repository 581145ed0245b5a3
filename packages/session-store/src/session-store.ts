import type { SessionBackend } from './backend.js';
import { InvalidMessage, SessionStoreError, StoreClosed } from './errors.js';
import type { Message, Role, StoredMessage } from './message.js';

/**
 * What an agent loop sees of a store. Writes return at once and never throw: they apply in the order of the calls,
 * and a read sees every write that was asked for before it. A write that fails is told to `onError` and the logger,
 * kept for `flush`, and does not stop later ones. A name may be a key or an alias; the first thing written under a
 * name that leads nowhere creates a session of that key.
 *
 * Nothing holds a caller back, so writes that the backend cannot keep up with wait in memory: `pending` tells how
 * many, and `await flush()` now and then keeps the number small.
 */
export interface SessionStore {
  addMessage(name: string, role: Role, content: string): void;
  addFullMessage(name: string, message: Message): void;
  /** The active messages, oldest first; empty for a session that is not there. Rejects with a `SessionStoreError`. */
  getHistory(name: string): Promise<readonly StoredMessage[]>;
  /** Empty where there is none. */
  getSummary(name: string): Promise<string>;
  setSummary(name: string, summary: string): void;
  /** Makes the active segment these messages; earlier segments stay. */
  setHistory(name: string, messages: readonly Message[]): void;
  /** Hides all but the last so many messages from the model. Deletes nothing. */
  truncateHistory(name: string, keepLast: number): void;
  /** Physically removes what is hidden. Everything else is stored without it. */
  save(name: string): void;
  /** The keys of all sessions, newest activity first. */
  listSessions(): Promise<readonly string[]>;
  /** Waits for every write asked for; rejects with an `AggregateError` of what failed since the last flush. */
  flush(): Promise<void>;
  /** Flushes, then closes the backend, and only then rejects with what failed. */
  close(): Promise<void>;
  /** Writes that were asked for and are not stored yet. */
  readonly pending: number;
}

export interface SessionStoreOptions {
  /** Called with each write that failed. */
  readonly onError?: (error: Error, write: FailedWrite) => void;
  /** Any logger that takes details and a message, such as pino's. */
  readonly logger?: { error(details: object, message: string): void };
  /** The agent of sessions that are created here. Default: what their key tells. */
  readonly agentId?: string;
  /** The channel of sessions that are created here. Default: what their key tells. */
  readonly channel?: string;
}

export type FailedWrite = { readonly operation: string; readonly name: string };

/** More failures than anyone reads; the rest is counted. */
const failuresKept = 100;

export function createSessionStore(backend: SessionBackend, options: SessionStoreOptions = {}): SessionStore {
  const { onError, logger, agentId, channel } = options;
  const facts = {
    ...(agentId === undefined ? {} : { agentId }),
    ...(channel === undefined ? {} : { channel }),
  };
  const underWay = new Set<Promise<void>>();
  const failures: Error[] = [];
  let failed = 0;
  let closing: Promise<void> | undefined;

  /**
   * Names are looked up one after the other, so that the calls for a session reach the backend in the order in
   * which they were made, whatever name each used; from there on the backend keeps the order of a session.
   */
  let lastLookUp: Promise<unknown> = Promise.resolve();
  function inTurn<T>(lookUp: () => Promise<T>): Promise<T> {
    const mine = lastLookUp.then(lookUp, lookUp);
    lastLookUp = mine.catch(() => {});
    return mine;
  }

  async function created(name: string): Promise<string> {
    return (await backend.resolve(name)) ?? (await backend.ensure(name, facts)).meta.key;
  }

  function fail(operation: string, name: string, cause: unknown): void {
    const error = cause instanceof Error ? cause : new SessionStoreError(String(cause), { key: name, cause });
    failed += 1;
    if (failures.length < failuresKept) failures.push(error);
    const write = { operation, name };
    logger?.error({ ...write, err: error }, `${operation} of session "${name}" was not stored`);
    try {
      onError?.(error, write);
    } catch (thrown) {
      logger?.error({ ...write, err: thrown }, 'onError threw');
    }
  }

  /** Hands a write on; `find` gives its session, or undefined where there is nothing to write to. */
  function write(
    operation: string,
    name: string,
    find: (name: string) => Promise<string | undefined>,
    apply: (key: string) => Promise<unknown>,
  ): void {
    const running = (async () => {
      if (closing !== undefined)
        throw new StoreClosed(`${operation}: the store is closed; nothing was written.`, { key: name });
      // Wrapped, so that the next look-up waits for the call to be made and not for its end.
      const call = await inTurn(async () => {
        const key = await find(name);
        return { end: key === undefined ? undefined : apply(key) };
      });
      await call.end;
    })()
      .catch((error: unknown) => fail(operation, name, error))
      .finally(() => underWay.delete(running));
    underWay.add(running);
  }

  async function read<T>(name: string, missing: T, look: (key: string) => Promise<T>): Promise<T> {
    const call = await inTurn(async () => {
      const key = await backend.resolve(name);
      return { end: key === undefined ? missing : look(key) };
    });
    return call.end;
  }

  async function flush(): Promise<void> {
    await Promise.all(underWay);
    if (failed === 0) return;
    const [errors, count] = [failures.splice(0), failed];
    failed = 0;
    const more = count > errors.length ? `, of which the first ${errors.length} are given` : '';
    throw new AggregateError(errors, `${count} writes were not stored${more}: ${errors[0]?.message}`);
  }

  function addFullMessage(operation: string, name: string, messages: readonly Message[]): void {
    const taken = copied(name, messages);
    write(operation, name, created, async (key) => backend.append(key, taken()));
  }

  return {
    addMessage: (name, role, content) => addFullMessage('addMessage', name, [{ role, content }]),
    addFullMessage: (name, message) => addFullMessage('addFullMessage', name, [message]),
    getHistory: (name) => read(name, [], (key) => backend.read(key)),
    getSummary: (name) => read(name, '', async (key) => (await backend.meta(key))?.summary ?? ''),
    setSummary(name, summary) {
      write('setSummary', name, created, (key) => backend.setSummary(key, summary));
    },
    setHistory(name, messages) {
      const taken = copied(name, messages);
      write('setHistory', name, created, async (key) => backend.replace(key, taken()));
    },
    truncateHistory(name, keepLast) {
      const find = (candidate: string) => backend.resolve(candidate);
      write('truncateHistory', name, find, (key) =>
        backend.truncate(key, { keepLast: Math.max(0, keepLast) }),
      );
    },
    save(name) {
      const find = (candidate: string) => backend.resolve(candidate);
      write('save', name, find, (key) => backend.compact(key));
    },
    async listSessions() {
      await Promise.all(underWay);
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await backend.list({ archived: 'include', limit: 1000 }, cursor);
        keys.push(...page.sessions.map(({ key }) => key));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return keys;
    },
    flush,
    close() {
      closing ??= (async () => {
        try {
          await flush();
        } finally {
          await backend.close();
        }
      })();
      return closing;
    },
    get pending() {
      return underWay.size;
    },
  };
}

/** The messages as they are at the call; what cannot be copied is an error of the write, not of the call. */
function copied(name: string, messages: readonly Message[]): () => readonly Message[] {
  try {
    const copy = structuredClone(messages);
    return () => copy;
  } catch (cause) {
    return () => {
      throw new InvalidMessage(`Session "${name}": the message holds what no store can keep.`, {
        key: name,
        cause,
      });
    };
  }
}
