import type { SessionBackend, SessionMeta } from '@x/session-store';

/** One thing that can be done to a session: here, or by the gateway that has the store open. */
export interface SessionAction {
  readonly name: string;
  readonly description: string;
  /** For the person, behind the session's name. */
  readonly done: string;
  /** Asked before it is done. */
  readonly question?: (name: string) => string;
  /** Its session is looked for among those that are deleted. */
  readonly ofDeleted?: boolean;
  /** Resolves to the session afterwards; undefined where there is none any more, or none that can be seen. */
  here(backend: SessionBackend, key: string): Promise<SessionMeta | undefined>;
  /** What the HTTP interface calls it; undefined where it has no such thing. */
  readonly remote: { readonly method: 'POST' | 'DELETE'; readonly path: string } | undefined;
}

const post = (path: string) => ({ method: 'POST', path }) as const;

export const SESSION_ACTIONS: readonly SessionAction[] = [
  {
    name: 'archive',
    description: 'put a session away; the next message wakes it',
    done: 'is put away.',
    here: (backend, key) => backend.archive(key),
    remote: post('archive'),
  },
  {
    name: 'unarchive',
    description: 'bring an archived session back into the list',
    done: 'is in the list again.',
    here: (backend, key) => backend.unarchive(key),
    remote: post('unarchive'),
  },
  {
    name: 'pin',
    description: 'keep a session, whatever the limits of maintenance say',
    done: 'is kept.',
    here: async (backend, key) => (await backend.ensure(key, { attributes: { pinned: true } })).meta,
    remote: post('pin'),
  },
  {
    name: 'unpin',
    description: 'let the limits of maintenance hold for a session again',
    done: 'is kept no longer than the others.',
    here: async (backend, key) => (await backend.ensure(key, { attributes: { pinned: null } })).meta,
    remote: post('unpin'),
  },
  {
    name: 'reset',
    description: 'begin a new segment: what was said stays readable but no longer reaches the model',
    done: 'begins anew; what was said stays readable (show --all).',
    here: (backend, key) => backend.reset(key, { reason: 'manual' }),
    remote: post('reset'),
  },
  {
    name: 'clear',
    description: 'remove all messages of a session for good; the session stays',
    done: 'has no messages any more.',
    question: (name) => `Remove all messages of ${name} for good?`,
    here: (backend, key) => backend.clear(key),
    remote: post('clear'),
  },
  {
    name: 'delete',
    description: 'move a session to the bin, from which restore brings it back',
    done: 'is in the bin; sessions restore brings it back.',
    question: (name) => `Move ${name} to the bin?`,
    async here(backend, key) {
      await backend.delete(key);
      return undefined;
    },
    remote: { method: 'DELETE', path: '' },
  },
  {
    name: 'restore',
    description: 'take a session out of the bin',
    done: 'is back.',
    ofDeleted: true,
    here: (backend, key) => backend.restore(key),
    remote: post('restore'),
  },
  {
    name: 'purge',
    description: 'destroy what lies in the bin',
    done: 'is gone from the bin for good.',
    question: (name) => `Destroy what is deleted of ${name}? Nothing brings it back.`,
    ofDeleted: true,
    async here(backend, key) {
      await backend.purge(key);
      return backend.meta(key);
    },
    remote: undefined,
  },
];
