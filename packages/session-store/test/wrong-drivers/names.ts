import { isMainAlias } from '@x/session-scope';
import type { SessionDriver } from '../../src/index.js';
import {
  backendThat,
  changing,
  claiming,
  countingAnew,
  driverThat,
  transacting,
  type Wrong,
  type Wrongs,
} from './wrong.js';

export const wrongAliases: Wrongs = {
  'aliases: an alias leads to its session, in any case of letters': claiming((aliases) =>
    aliases.map((alias) => alias.toUpperCase()),
  ),
  'aliases: a key leads to itself, in other letters too where no alias claims them': backendThat((right) => ({
    resolve: async (name) =>
      name !== name.toLowerCase() && (await right.meta(name)) === undefined ? undefined : right.resolve(name),
  })),
  'aliases: a live key goes before an alias of the same letters': backendThat((right, driver) => ({
    resolve: async (name) => (await driver.owner(name.toLowerCase())) ?? right.resolve(name),
  })),
  'aliases: a name that nobody has leads nowhere': backendThat((right) => ({
    resolve: async (name) => (await right.resolve(name)) ?? name,
  })),
  'aliases: a second claim is refused with the owner, and the rest of the call goes through': backendThat(
    (right) => ({
      ensure: async (...call) => ({ ...(await right.ensure(...call)), refused: [] }),
    }),
  ),
  "aliases: a live session's key is nobody else's alias": backendThat((right) => ({
    async ensure(...call) {
      const ensured = await right.ensure(...call);
      return { ...ensured, refused: ensured.refused.filter(({ alias, owner }) => alias !== owner) };
    },
  })),
  'aliases: two that claim one name at once: one has it, the other is told who': transacting((found) => ({
    ...found,
    owners: new Map(),
  })),
  'aliases: a main alias is refused to every session but the main session of its agent': backendThat(
    (right) => ({
      async ensure(...call) {
        const ensured = await right.ensure(...call);
        return { ...ensured, refused: ensured.refused.filter(({ reason }) => reason !== 'main') };
      },
    }),
  ),
  'aliases: a main alias leads to the main session and to no other': backendThat((right) => ({
    resolve: async (name) =>
      isMainAlias(name) ? (await right.list()).sessions[0]?.key : right.resolve(name),
  })),
  'aliases: a deleted session leads nowhere and keeps its names, until it is purged': backendThat(
    (right, driver) => ({
      resolve: async (name) => (await right.resolve(name)) ?? driver.owner(name),
    }),
  ),
};

export const wrongPromotions: Wrongs = {
  'promote: the history of an older name moves into the empty session, seqs, ids, times and summary as they were':
    changing(({ adopt: _left, ...change }) => change),
  'promote: the emptied session is gone and its names lead to the new one': changing((change) =>
    change.adopt === undefined ? change : { ...change, claim: [] },
  ),
  'promote: a history is promoted once, whoever asks again': backendThat((right) => ({
    async promote(key, aliases, guard) {
      await right.promote(key, aliases, guard);
      return { from: aliases[0] ?? '', messages: 1 };
    },
  })),
  'promote: never into a session that has had a message or a summary': countingAnew,
  'promote: empty, missing and deleted sessions are passed over for the next with content': backendThat(
    (right) => ({
      promote: (key, aliases, guard) => right.promote(key, aliases.slice(0, 1), guard),
    }),
  ),
  'promote: a session with nothing but a summary has content': backendThat((right) => ({
    promote: async (key, aliases, guard) =>
      (await right.meta(aliases[0] ?? key))?.messageCount === 0
        ? undefined
        : right.promote(key, aliases, guard),
  })),
  'promote: a name in other letters finds the session': backendThat((right) => ({
    promote: (key, aliases, guard) =>
      right.promote(
        key,
        aliases.filter((alias) => alias === alias.toLowerCase()),
        guard,
      ),
  })),
  "promote: a main session's history moves into no other session, under either of its names": backendThat(
    (right) => ({
      async promote(key, aliases, guard) {
        const main = aliases.find(isMainAlias);
        if (main === undefined) return right.promote(key, aliases, guard);
        const appended = await right.append(key, await right.read(main));
        return { from: main, messages: appended.length };
      },
    }),
  ),
  'promote: a main session under its plain name moves home': backendThat((right) => ({
    promote: async (key, aliases, guard) =>
      aliases.some(isMainAlias) ? undefined : right.promote(key, aliases, guard),
  })),
  'promote: what the new session knows of itself stays': backendThat((right) => ({
    async promote(key, aliases, guard) {
      const promotion = await right.promote(key, aliases, guard);
      await right.ensure(key, { channel: 'slack' });
      return promotion;
    },
  })),
  'promote: into a missing session is refused with SessionNotFound': backendThat((right) => ({
    async promote(key, aliases, guard) {
      await right.ensure(key);
      return right.promote(key, aliases, guard);
    },
  })),
};

/** Sessions whose keys look alike share a record. */
function alike(fold: (key: string) => string): Wrong {
  return driverThat(
    (right): Partial<SessionDriver> => ({
      load: (key) => right.load(fold(key)),
      scan: (key, range) => right.scan(fold(key), range),
      transact: (need, decide) =>
        right.transact({ ...need, keys: need.keys.map(fold) }, (found) =>
          decide({
            ...found,
            sessions: new Map(
              need.keys.flatMap((key) => {
                const meta = found.sessions.get(fold(key));
                return meta === undefined ? [] : [[key, meta]];
              }),
            ),
          }).map((change) => ({ ...change, key: fold(change.key) })),
        ),
    }),
  );
}

export const wrongKeys: Wrongs = {
  'keys: any string is a key and no two share anything': alike((key) => key.toLowerCase()),
  'keys: what destroys one session leaves those of a like name alone': alike((key) =>
    key.replace(/[:/\\]/g, '_'),
  ),
  'keys: any string is an alias too': claiming((aliases) =>
    aliases.map((alias) => alias.replace(/[:/\\]/g, '_')),
  ),
  'keys: what is empty, over 1,024 characters, no string, holds a NUL or half a character is refused with InvalidKey':
    backendThat((right) => ({
      ensure: (key, ...rest) => right.ensure(typeof key === 'string' ? key.slice(0, 1024) : key, ...rest),
    })),
};
