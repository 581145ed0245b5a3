import type { Message, SessionBackend } from '@x/session-store';

/** One operation whose every call of the disk is made to fail in turn. */
export interface FaultOperation {
  readonly name: string;
  /** What goes before it and does not fail. */
  readonly before?: (store: SessionBackend) => Promise<unknown>;
  /** One promise for each session that it changes on its own. */
  readonly run: (store: SessionBackend) => readonly Promise<unknown>[];
  /** Sessions in the order of those promises; absent: one promise for all. */
  readonly sessions?: readonly string[];
}

export const old = 'agent:main:direct:old';
const fresh = 'agent:main:direct:fresh';
const group = ['s', 'empty', 'gone-not', old];

const user = (content: string, id?: string): Message => ({
  ...(id === undefined ? {} : { id }),
  role: 'user',
  content,
});

const groupAppend = (store: SessionBackend, round = 1) =>
  group.map((key) => store.append(key, [user(`group ${round}`, `g${round}`), user('and more', `h${round}`)]));
const journaled = (store: SessionBackend) => Promise.all(groupAppend(store));

/** What every run begins with: sessions of all kinds, some of them in parts that are hidden. */
export async function prepare(store: SessionBackend): Promise<void> {
  for (const key of ['s', 'empty', 'asleep', 'gone', 'gone-not', old]) {
    await store.ensure(key, key === 's' ? { aliases: ['agent:main:direct:known'] } : {});
    if (key === 'empty') continue;
    await store.append(
      key,
      ['a', 'b', 'c'].map((id) => user(id, id)),
    );
  }
  await store.truncate('s', { keepLast: 2 });
  await store.archive('asleep');
  await store.delete('gone');
}

const one = (task: (store: SessionBackend) => Promise<unknown>) => (store: SessionBackend) => [task(store)];

export const faultOperations: readonly FaultOperation[] = [
  { name: 'append', run: one((store) => store.append('s', [user('new', 'n')])) },
  { name: 'append of several', run: one((store) => store.append('s', [user('x', 'x'), user('y', 'y')])) },
  { name: 'append to an empty session', run: one((store) => store.append('empty', [user('new', 'n')])) },
  { name: 'append that wakes', run: one((store) => store.append('asleep', [user('new', 'n')])) },
  { name: 'append sent twice', run: one((store) => store.append('s', [user('b', 'b'), user('new', 'n')])) },
  { name: 'appends to many sessions', sessions: group, run: (store) => groupAppend(store) },
  {
    name: 'appends to many sessions, again',
    before: journaled,
    sessions: group,
    run: (store) => groupAppend(store, 2),
  },
  {
    name: 'append behind a shared one',
    before: journaled,
    run: one((store) => store.append('s', [user('new', 'n')])),
  },
  {
    name: 'appends that turn the journal',
    before: async (store) => {
      for (let round = 1; round <= 3; round += 1) await Promise.all(groupAppend(store, round));
    },
    sessions: group,
    run: (store) => groupAppend(store, 4),
  },
  {
    name: 'compact behind a shared append',
    before: journaled,
    run: one((store) => store.compact('s')),
  },
  {
    name: 'clear behind a shared append',
    before: journaled,
    run: one((store) => store.clear('s')),
  },
  { name: 'ensure', run: one((store) => store.ensure('s', { title: 'titled', aliases: [fresh] })) },
  { name: 'ensure of a new one', run: one((store) => store.ensure('fresh', { aliases: [fresh] })) },
  { name: 'setSummary', run: one((store) => store.setSummary('s', 'so far')) },
  { name: 'truncate', run: one((store) => store.truncate('s', { keepLast: 1, summary: 'cut' })) },
  { name: 'reset', run: one((store) => store.reset('s')) },
  { name: 'compact', run: one((store) => store.compact('s')) },
  { name: 'replace', run: one((store) => store.replace('s', [user('instead', 'i')])) },
  { name: 'clear', run: one((store) => store.clear('s')) },
  { name: 'rename', run: one((store) => store.rename('s', 'renamed')) },
  { name: 'archive', run: one((store) => store.archive('s')) },
  { name: 'unarchive', run: one((store) => store.unarchive('asleep')) },
  { name: 'promote', run: one((store) => store.promote('empty', [old])) },
  {
    name: 'promote of what the journal holds',
    before: (store) => Promise.all([old, 'gone-not'].map((key) => store.append(key, [user('late', 'l')]))),
    run: one((store) => store.promote('empty', [old])),
  },
  { name: 'delete', run: one((store) => store.delete('s')) },
  { name: 'restore', run: one((store) => store.restore('gone')) },
  { name: 'purge', run: one((store) => store.purge('gone')) },
  { name: 'close', before: journaled, run: one((store) => store.close()) },
];
