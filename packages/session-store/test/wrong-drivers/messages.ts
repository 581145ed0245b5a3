import type { SessionBackend, StoredMessage } from '../../src/index.js';
import {
  backendThat,
  changing,
  driverThat,
  forgettingIds,
  neverUndoing,
  recording,
  storing,
  trace,
  transacting,
  type Wrongs,
} from './wrong.js';

const oneByOne = backendThat((right) => ({
  async append(key, messages, guard) {
    const answers = [];
    for (const message of messages) answers.push(...(await right.append(key, [message], guard)));
    return answers;
  },
}));

export const withoutIds = backendThat((right) => ({
  append: (key, messages, guard) =>
    right.append(
      key,
      messages.map(({ id: _dropped, ...message }) => message),
      guard,
    ),
}));

export const creatingOnAppend = backendThat((right) => ({
  async append(key, messages, guard) {
    await right.ensure(key);
    return right.append(key, messages, guard);
  },
}));

export const wrongAppends: Wrongs = {
  'append: messages come back as they were given, with every field, known or not': storing((message) => {
    const { unknownField: _lost, ...rest } = message as StoredMessage & { unknownField?: unknown };
    return rest;
  }),
  'append: seqs count from 1 without a gap, in the order given': storing((message) => ({
    ...message,
    seq: message.seq * 2,
  })),
  'append: a message id already in the session is not stored again, and its old seq is the answer':
    forgettingIds,
  'append: an id that comes twice in one call is stored once': withoutIds,
  'append: an id is remembered behind a truncation and a reset': transacting((found, need) => {
    const cutoff = found.sessions.get(need.keys[0] ?? '')?.cutoff ?? 0;
    return { ...found, seqs: new Map([...found.seqs].filter(([, seq]) => seq > cutoff)) };
  }),
  'append: an id belongs to its session; another session may have the same': driverThat((right) => {
    const known = new Map<string, number>();
    return {
      transact: (need, decide) =>
        right.transact(need, (found) => {
          const changes = decide({ ...found, seqs: new Map([...known, ...found.seqs]) });
          for (const change of changes) {
            if ('append' in change) for (const { id, seq } of change.append ?? []) known.set(id, seq);
          }
          return changes;
        }),
    };
  }),
  'append: a message without an id or a time is given both, the id its own': storing((message) => ({
    ...message,
    id: 'same',
  })),
  'append: times come out as ISO 8601 in UTC with milliseconds': storing((message) => ({
    ...message,
    createdAt: message.createdAt.replace('Z', '+00:00'),
  })),
  'append: the order is that of the seqs, whatever times the messages carry': driverThat((right) => ({
    scan: async (key, range) =>
      [...(await right.scan(key, range))].sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1)),
  })),
  'append: one bad message and nothing of its call is stored': oneByOne,
  'append: a message over maxMessageBytes is refused with MessageTooLarge, and nothing of its call is stored':
    oneByOne,
  'append: a message of maxMessageBytes is stored whole': storing((message) =>
    typeof message.content === 'string' ? { ...message, content: message.content.slice(0, 65_536) } : message,
  ),
  'append: a missing session is refused with SessionNotFound, and none is made': creatingOnAppend,
  'append: no messages, no change': backendThat((right) => ({
    async append(key, messages, guard) {
      if (messages.length === 0) await trace(right, key);
      return right.append(key, messages, guard);
    },
  })),
  'append: a retry of what is there changes nothing': backendThat((right) => ({
    async append(key, messages, guard) {
      const answer = await right.append(key, messages, guard);
      if (answer.some(({ appended }) => !appended)) await trace(right, key);
      return answer;
    },
  })),
  'append: an archived session wakes': changing((change, before) =>
    change.append === undefined || before?.archivedAt === undefined
      ? change
      : { ...change, meta: { ...change.meta, archivedAt: before.archivedAt } },
  ),
  'append: counts, turns and times of the record follow the messages': recording((meta) => ({
    ...meta,
    userTurns: 0,
  })),
  'append: the revision rises by the number of messages stored': recording((meta) => ({
    ...meta,
    revision: 1,
  })),
  'append: what the caller does to a message afterwards does not reach the store': backendThat((right) => ({
    async append(...call) {
      await Promise.resolve();
      return right.append(...call);
    },
  })),
  'append: what JSON would lose or change is refused with InvalidMessage; undefined is absent': backendThat(
    (right) => ({
      append: (key, messages, guard) =>
        right.append(
          key,
          messages.map((message) => {
            try {
              return JSON.parse(JSON.stringify(message));
            } catch {
              return message;
            }
          }),
          guard,
        ),
    }),
  ),
  'append: a thousand messages in one call are stored in order': driverThat((right) => ({
    scan: (key, range) => right.scan(key, { ...range, limit: Math.min(range.limit, 500) }),
  })),
};

export const wrongReads: Wrongs = {
  'read: a session that is missing or deleted reads as empty': backendThat((_right, driver) => ({
    read: (key) => driver.scan(key, { after: 0, before: 1e9, limit: 1e9, order: 'asc' }),
  })),
  'read: the active segment is what lies behind the cutoff, and the default; all is everything': backendThat(
    (right) => ({
      read: (key, range) => right.read(key, { ...range, segment: 'all' }),
    }),
  ),
  'read: after and before are exclusive, and stay within the segment': driverThat((right) => ({
    scan: (key, range) => right.scan(key, { ...range, after: range.after - 1 }),
  })),
  'read: a limit gives the oldest of the range, in descending order the newest': driverThat((right) => ({
    async scan(key, range) {
      const oldest = await right.scan(key, { ...range, order: 'asc' });
      return range.order === 'asc' ? oldest : [...oldest].reverse();
    },
  })),
  'read: descending order is ascending order turned round': driverThat((right) => ({
    scan: (key, range) => right.scan(key, { ...range, order: 'asc' }),
  })),
  'read: a bound that is no whole number from 0 is refused with Unsupported': backendThat((right) => ({
    read: (key, range = {}) => right.read(key, range.segment === undefined ? {} : { segment: range.segment }),
  })),
  'read: the tail of a session is asked of the store with its limit, not read whole': backendThat(
    (right) => ({
      read: async (key, { limit, ...range } = {}) => (await right.read(key, range)).slice(0, limit),
    }),
  ),
  'read: what a caller does to what it was given does not reach the store': driverThat((right) => {
    const given = new Map<string, readonly StoredMessage[]>();
    return {
      async transact(need, decide) {
        given.clear();
        await right.transact(need, decide);
      },
      async scan(key, range) {
        const messages = given.get(key) ?? structuredClone(await right.scan(key, range));
        given.set(key, messages);
        return messages;
      },
    };
  }),
  'read: sessions do not mix, however their messages came in': driverThat((right) => {
    let latest = '';
    return {
      async transact(need, decide) {
        latest = need.keys[0] ?? '';
        await right.transact(need, decide);
      },
      scan: (_key, range) => right.scan(latest, range),
    };
  }),
};

const replacingAll = backendThat((right) => ({
  async replace(key, messages, guard) {
    await right.replace(key, [], guard);
    return right.replace(key, messages, guard);
  },
}));

export const wrongReplacements: Wrongs = {
  'replace: the active segment is then these messages; the unchanged ones at its beginning keep their seqs':
    replacingAll,
  'replace: setting a history to itself changes nothing': replacingAll,
  'replace: a shorter history cuts the end off, and its seqs are not used again': neverUndoing,
  'replace: with nothing the active segment is empty and the session goes on': neverUndoing,
  'replace: earlier segments are not touched': backendThat((right) => ({
    async replace(key, messages, guard) {
      await right.clear(key, guard);
      return right.replace(key, messages, guard);
    },
  })),
  'replace: no id is in a session twice': forgettingIds,
  'replace: a message that was cut off may come back under its id': driverThat((right) => {
    const known = new Map<string, number>();
    return {
      transact: (need, decide) =>
        right.transact(need, (found) => {
          const seqs = new Map([...known].filter(([id]) => need.messageIds.includes(id)));
          const changes = decide({ ...found, seqs });
          for (const change of changes) {
            if ('append' in change) for (const { id, seq } of change.append ?? []) known.set(id, seq);
          }
          return changes;
        }),
    };
  }),
  'replace: one bad message and nothing changes': replacingAll,
};

/** Both halves of an order: what waits, and what is asked for next. */
const later = () => new Promise((resolve) => setImmediate(resolve));

function queueing(right: SessionBackend): Partial<SessionBackend> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    append(...call) {
      const mine = last.then(() => right.append(...call));
      last = mine.catch(() => {});
      return mine;
    },
  };
}

export const wrongOrders: Wrongs = {
  'order: calls for one session take effect in the order they were made': backendThat((right) => ({
    async setSummary(...call) {
      await later();
      return right.setSummary(...call);
    },
  })),
  'order: appends that wait together are stored each whole, in the order of the calls': changing((change) =>
    change.append === undefined ? change : { ...change, append: [...change.append].reverse() },
  ),
  'order: a retry that waits behind its first try is not stored again': withoutIds,
  'order: a session that waits for the store does not hold up another': backendThat(queueing),
  'order: promotions that cross each other come to an end': backendThat((right) => {
    let running = false;
    return {
      async promote(...call) {
        if (running) return undefined;
        running = true;
        try {
          return await right.promote(...call);
        } finally {
          running = false;
        }
      },
    };
  }),
};
