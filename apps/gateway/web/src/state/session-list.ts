import type { Session, SessionPage, TurnState } from '../api/shapes.js';

/** `archived` shows those put away as well, `deleted` those in the bin and no others. */
export type SessionView = 'current' | 'archived' | 'deleted';

export interface SessionFilter {
  readonly q: string;
  /** Empty for all channels. */
  readonly channel: string;
  readonly view: SessionView;
}

/** The loaded beginning of the list of sessions, newest activity first. */
export interface SessionList {
  readonly filter: SessionFilter;
  readonly sessions: readonly Session[];
  /** Where the next page begins; null at the end. */
  readonly nextCursor: string | null;
  readonly phase: 'loading' | 'ready' | 'failed';
  /** Every channel seen so far, for the filter. */
  readonly channels: readonly string[];
}

export const emptySessionList: SessionList = {
  filter: { q: '', channel: '', view: 'current' },
  sessions: [],
  nextCursor: null,
  phase: 'loading',
  channels: [],
};

export function withFirstPage(list: SessionList, page: SessionPage): SessionList {
  return noteChannels({
    ...list,
    sessions: page.sessions,
    nextCursor: page.next_cursor,
    phase: 'ready',
  });
}

/** Takes in the page after the last. A session that has moved meanwhile stays where it is now. */
export function withNextPage(list: SessionList, page: SessionPage): SessionList {
  const known = new Set(list.sessions.map((session) => session.key));
  const added = page.sessions.filter((session) => !known.has(session.key));
  return noteChannels({
    ...list,
    sessions: [...list.sessions, ...added],
    nextCursor: page.next_cursor,
    phase: 'ready',
  });
}

/** Takes in a session that was created or has changed: to its place, or out where the filter bars it. */
export function withSession(list: SessionList, session: Session): SessionList {
  const at = list.sessions.findIndex(({ key }) => key === session.key);
  const known = list.sessions[at];
  const others = known ? list.sessions.toSpliced(at, 1) : list.sessions;
  if (!belongs(list.filter, session)) return known ? { ...list, sessions: others } : list;
  // Activity moves a session, a new title does not.
  if (known?.message_count === session.message_count) {
    return { ...list, sessions: list.sessions.with(at, session) };
  }
  // What a search finds is the server's to say; only what it has found is kept up to date here.
  if (!known && list.filter.q !== '') return list;
  const after = others.findIndex((other) => other.updated_at <= session.updated_at);
  if (after < 0 && list.nextCursor !== null && !known) return list;
  const place = after < 0 ? others.length : after;
  return noteChannels({ ...list, sessions: others.toSpliced(place, 0, session) });
}

export function withoutSession(list: SessionList, key: string): SessionList {
  return { ...list, sessions: list.sessions.filter((session) => session.key !== key) };
}

export function withTurn(list: SessionList, key: string, turn: TurnState): SessionList {
  return {
    ...list,
    sessions: list.sessions.map((session) => (session.key === key ? { ...session, turn } : session)),
  };
}

function belongs(filter: SessionFilter, session: Session): boolean {
  if (filter.channel !== '' && session.channel !== filter.channel) return false;
  if (session.deleted) return filter.view === 'deleted';
  return filter.view === 'archived' || (filter.view === 'current' && !session.archived);
}

function noteChannels(list: SessionList): SessionList {
  const channels = new Set(list.channels);
  for (const { channel } of list.sessions) channels.add(channel);
  return channels.size === list.channels.length ? list : { ...list, channels: [...channels].sort() };
}
