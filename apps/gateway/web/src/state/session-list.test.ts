import { describe, expect, test } from 'vitest';
import type { Session } from '../api/shapes.js';
import {
  emptySessionList,
  type SessionList,
  withFirstPage,
  withNextPage,
  withSession,
  withTurn,
} from './session-list.js';

function session(key: string, minute: number, more: Partial<Session> = {}): Session {
  const time = `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
  return {
    key,
    title: null,
    channel: 'web',
    agent_id: 'main',
    message_count: 1,
    active_count: 1,
    summary: '',
    aliases: [],
    created_at: time,
    updated_at: time,
    archived: false,
    deleted: false,
    turn: 'idle',
    ...more,
  };
}

const keysOf = (list: SessionList) => list.sessions.map(({ key }) => key);
const loaded = (nextCursor: string | null, filter = emptySessionList.filter) =>
  withFirstPage(
    { ...emptySessionList, filter },
    { sessions: [session('c', 30), session('b', 20), session('a', 10)], next_cursor: nextCursor },
  );

describe('the list of sessions', () => {
  test('puts a session with new activity first', () => {
    const spoken = session('a', 40, { message_count: 2 });
    expect(keysOf(withSession(loaded(null), spoken))).toEqual(['a', 'c', 'b']);
    expect(keysOf(withSession(loaded(null), session('new', 25)))).toEqual(['c', 'new', 'b', 'a']);
  });

  test('leaves a session in its place that only has another title', () => {
    const renamed = withSession(loaded(null), session('a', 40, { title: 'Tea' }));
    expect(keysOf(renamed)).toEqual(['c', 'b', 'a']);
    expect(renamed.sessions[2]?.title).toBe('Tea');
  });

  test('leaves out a session older than what is loaded, while there is more to load', () => {
    expect(keysOf(withSession(loaded('next'), session('old', 1)))).toEqual(['c', 'b', 'a']);
    expect(keysOf(withSession(loaded(null), session('old', 1)))).toEqual(['c', 'b', 'a', 'old']);
  });

  test('takes a session out that the filter bars now', () => {
    expect(keysOf(withSession(loaded(null), session('b', 50, { archived: true })))).toEqual(['c', 'a']);
    expect(keysOf(withSession(loaded(null), session('x', 50, { deleted: true })))).toEqual(['c', 'b', 'a']);
    const slackOnly = loaded(null, { q: '', channel: 'slack', view: 'current' });
    expect(keysOf(withSession(slackOnly, session('x', 50)))).toEqual(['c', 'b', 'a']);
  });

  test('leaves it to the server what a search finds', () => {
    const searched = loaded(null, { q: 'tea', channel: '', view: 'current' });
    expect(keysOf(withSession(searched, session('x', 50)))).toEqual(['c', 'b', 'a']);
    expect(withSession(searched, session('b', 20, { title: 'Tea' })).sessions[1]?.title).toBe('Tea');
  });

  test('adds a page without doubling what has moved meanwhile', () => {
    const moved = withSession(loaded('next'), session('d', 50));
    const page = { sessions: [session('d', 5), session('e', 4)], next_cursor: null };
    expect(keysOf(withNextPage(moved, page))).toEqual(['d', 'c', 'b', 'a', 'e']);
  });

  test('marks the session whose turn runs, and remembers every channel', () => {
    expect(withTurn(loaded(null), 'b', 'running').sessions[1]?.turn).toBe('running');
    expect(withSession(loaded(null), session('s', 60, { channel: 'slack' })).channels).toEqual([
      'slack',
      'web',
    ]);
  });
});
