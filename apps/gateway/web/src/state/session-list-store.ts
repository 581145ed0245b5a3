import type { Api } from '../api/client.js';
import type { LiveEvent } from '../api/shapes.js';
import { type Cell, createCell } from './cell.js';
import { createHearing, turnOf } from './heard.js';
import {
  emptySessionList,
  type SessionFilter,
  type SessionList,
  withFirstPage,
  withNextPage,
  withoutSession,
  withSession,
  withTurn,
} from './session-list.js';

export interface SessionListStore {
  readonly cell: Cell<SessionList>;
  /** Fetches the beginning anew. */
  refresh(): Promise<void>;
  loadMore(): Promise<void>;
  filter(filter: SessionFilter): void;
  apply(event: LiveEvent): void;
}

const typingPauseMs = 150;

export function createSessionListStore(api: Pick<Api, 'sessions'>): SessionListStore {
  const cell = createCell<SessionList>(emptySessionList);
  const hearing = createHearing();
  let asked = 0;
  let loadingMore = false;
  let pause: ReturnType<typeof setTimeout> | undefined;

  async function refresh(): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const [page, heard] = await hearing.during(() => api.sessions(cell.get().filter));
      // A later question has been asked meanwhile: its answer counts.
      if (mine !== asked) return;
      cell.update((list) => withFirstPage(list, page));
      for (const event of heard) take(event);
    } catch {
      if (mine === asked) cell.update((list) => ({ ...list, phase: 'failed' }));
    }
  }

  function take(event: LiveEvent): void {
    if (event.event === 'session') cell.update((list) => withSession(list, event.session));
    else if (event.event === 'session_deleted') cell.update((list) => withoutSession(list, event.key));
    else if (event.event === 'turn') {
      cell.update((list) => withTurn(list, event.session_key, turnOf(event)));
    }
  }

  return {
    cell,
    refresh,
    async loadMore() {
      const { nextCursor, filter } = cell.get();
      if (nextCursor === null || loadingMore) return;
      loadingMore = true;
      const mine = asked;
      try {
        const page = await api.sessions({ ...filter, cursor: nextCursor });
        if (mine === asked) cell.update((list) => withNextPage(list, page));
      } catch {
        // The connection's state is shown already; scrolling on asks again.
      } finally {
        loadingMore = false;
      }
    },
    filter(filter) {
      const typed = filter.q !== cell.get().filter.q;
      cell.update((list) => ({ ...list, filter }));
      clearTimeout(pause);
      pause = setTimeout(() => void refresh(), typed ? typingPauseMs : 0);
    },
    apply(event) {
      hearing.note(event);
      take(event);
    },
  };
}
