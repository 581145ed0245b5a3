import {
  LeaseLost,
  type SessionDriver,
  type SessionMeta,
  StoreClosed,
  StoreFailed,
  StoreFull,
} from '../../src/index.js';
import { createLeases } from '../kept-memory.js';
import { backendThat, driverThat, forgettingIds, type Wrong, type Wrongs } from './wrong.js';

const closingAtOnce = backendThat((_right, driver) => ({ close: () => driver.close() }));

export const wrongClosings: Wrongs = {
  'close: waits for the writes under way, which are stored': closingAtOnce,
  'close: waits for the reads under way': closingAtOnce,
  'close: afterwards every call rejects with StoreClosed': backendThat((right) => ({
    read: (...call) =>
      right.read(...call).catch((error) => {
        if (error instanceof StoreClosed) return [];
        throw error;
      }),
  })),
  'close: an import under way ends with StoreClosed, and not in the middle of a step': backendThat(
    (right) => ({
      import: (entries) =>
        right.import(entries).catch(() => ({ sessions: 0, messages: 0, skippedMessages: 0, refused: [] })),
    }),
  ),
  'close: again does nothing': backendThat((right, driver) => ({
    async close() {
      await right.close();
      await driver.close();
    },
  })),
};

export const wrongErrors: Wrongs = {
  'errors: a write that the store cannot do rejects typed, named, with its cause, and changes nothing':
    backendThat((right) => ({
      append: (...call) =>
        right.append(...call).catch((error) => {
          throw error.cause ?? error;
        }),
    })),
  'errors: a look-up that the store cannot do rejects typed, named, with its cause, and changes nothing':
    backendThat((right) => ({ meta: (key) => right.meta(key).catch(() => undefined) })),
  'errors: a full store is told by StoreFull, and goes on once there is room': backendThat((right) => ({
    append: (key, ...rest) =>
      right.append(key, ...rest).catch((error) => {
        throw error instanceof StoreFull ? new StoreFailed(error.message, { key }) : error;
      }),
  })),
  'errors: a typed error of the store comes through as it is': backendThat((right) => ({
    setSummary: (key, ...rest) =>
      right.setSummary(key, ...rest).catch((cause) => {
        throw new StoreFailed(cause.message, { key, cause });
      }),
  })),
  'errors: after a failure the session goes on, in order, without a gap in its seqs': backendThat((right) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      append(...call) {
        const mine = last.then(() => right.append(...call));
        last = mine;
        return mine;
      },
    };
  }),
  'errors: appends that waited together fail together, and none of them is stored': backendThat((right) => {
    let calls = 0;
    return {
      async append(...call) {
        calls += 1;
        const first = calls % 2 === 0;
        return right.append(...call).catch((error) => {
          if (first) throw error;
          return [];
        });
      },
    };
  }),
  'errors: a retry by id after a failure that came too late stores nothing twice': forgettingIds,
};

type Leases = NonNullable<SessionDriver['leases']>;

/** Leases of the store's own that differ. */
function leasing(differs: (right: Leases) => Partial<Leases>): Wrong {
  return {
    driver(right) {
      const leases = right.leases;
      return leases === undefined ? right : { ...right, leases: { ...leases, ...differs(leases) } };
    },
  };
}

export const wrongLeases: Wrongs = {
  'lease: one holder at a time, for each session its own': leasing((right) => ({
    grant: (key, _holder, ttlMs) => right.grant(key, 'everyone', ttlMs),
  })),
  'lease: tokens rise with every grant, for the same holder too': leasing((right) => {
    const tokens = new Map<string, number | undefined>();
    return {
      async grant(key, holder, ttlMs) {
        const token = tokens.get(holder) ?? (await right.grant(key, holder, ttlMs));
        tokens.set(holder, token);
        return token;
      },
    };
  }),
  'lease: what was released is free at once': leasing(() => ({ release: async () => {} })),
  'lease: what has run out is free, and a renewal puts that off': {
    driver({ leases: _itsOwn, ...right }) {
      return right;
    },
    backend: (right) => ({
      ...right,
      lease: (key, { holder, ttlMs }) => right.lease(key, { holder, ttlMs: ttlMs * 1e6 }),
    }),
  },
  'lease: in force it lets every write through': backendThat((right) => ({
    async truncate(key, cut, guard = {}) {
      if (guard.lease !== undefined) throw new LeaseLost('No.', { key });
      return right.truncate(key, cut);
    },
  })),
  'lease: once another has taken it, every write under it is refused with LeaseLost and changes nothing':
    backendThat((right) => ({ reset: (key, options) => right.reset(key, options) })),
  'lease: once released it fences too': driverThat((right) => ({
    transact: ({ fence: _ignored, ...need }, decide) => right.transact(need, decide),
  })),
  'lease: releasing one that was lost leaves the new holder alone': leasing((right) => {
    let latest = 0;
    return {
      async grant(...call) {
        const token = await right.grant(...call);
        latest = token ?? latest;
        return token;
      },
      release: (key) => right.release(key, latest),
    };
  }),
  'lease: of another session it lets nothing through, and one without an end is not given': backendThat(
    (right) => ({
      clear: (key, guard = {}) => right.clear(key, guard.lease?.key === key ? guard : {}),
    }),
  ),
  'lease: waiting appends under different leases are judged each by its own': backendThat((right) => ({
    append: (key, messages) => right.append(key, messages),
  })),
};

/** One that sees its own writes and nothing of what another process does. */
const alone = driverThat((right) => {
  const own = new Map<string, SessionMeta>();
  return {
    load: async (key) => own.get(key),
    transact: (need, decide) =>
      right.transact(need, (found) => {
        const sessions = new Map([...own].filter(([key]) => need.keys.includes(key)));
        const changes = decide({ ...found, sessions });
        for (const change of changes) if ('meta' in change) own.set(change.key, change.meta);
        return changes;
      }),
  };
});

export const wrongSharings: Wrongs = {
  'sharing: what one process was promised, the other sees at once': alone,
  'sharing: appends of two processes at once are stored each once, without a gap': driverThat((right) => {
    const own = new Map<string, SessionMeta>();
    return {
      transact: (need, decide) =>
        right.transact(need, (found) => {
          const mine = [...own].filter(([key]) => need.keys.includes(key));
          const changes = decide({ ...found, sessions: new Map([...found.sessions, ...mine]) });
          for (const change of changes) if ('meta' in change) own.set(change.key, change.meta);
          return changes;
        }),
    };
  }),
  'sharing: two processes that create one session or claim one alias: one does': alone,
  'sharing: changes that read first hold against the other process': driverThat((right) => {
    const read = new Map<string, SessionMeta | undefined>();
    return {
      async load(key) {
        const meta = await right.load(key);
        read.set(key, meta);
        return meta;
      },
      transact: (need, decide) =>
        right.transact(need, (found) => {
          const stale = need.keys.flatMap((key) => {
            const meta = read.get(key);
            read.delete(key);
            return meta === undefined ? [] : [[key, meta] as const];
          });
          return decide({ ...found, sessions: new Map([...found.sessions, ...stale]) });
        }),
    };
  }),
  'sharing: a lease keeps the other process out, and one that was lost writes nothing there either':
    driverThat(() => ({
      leases: createLeases(),
    })),
};
