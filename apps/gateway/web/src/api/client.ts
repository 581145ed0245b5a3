import { ApiError, errorOf } from './api-error.js';
import { readEvents } from './event-stream.js';
import type {
  ChatEvent,
  LiveEvent,
  MessagePage,
  Session,
  SessionDetail,
  SessionPage,
  Status,
} from './shapes.js';

export interface SessionQuery {
  q?: string;
  channel?: string;
  /** `archived`: those put away as well; `deleted`: those in the bin, and no others. */
  view?: 'current' | 'archived' | 'deleted';
  cursor?: string;
  limit?: number;
}

export type SessionAction = 'archive' | 'unarchive' | 'reset' | 'restore' | 'stop';

/** The gateway's HTTP interface as the page uses it. Every call rejects with an `ApiError`. */
export interface Api {
  status(): Promise<Status>;
  sessions(query: SessionQuery): Promise<SessionPage>;
  session(key: string): Promise<SessionDetail>;
  /** The newest `limit` messages of all segments, before seq `before` where given. */
  messages(key: string, query: { limit: number; before?: number }): Promise<MessagePage>;
  rename(key: string, title: string): Promise<Session>;
  act(key: string, action: SessionAction): Promise<void>;
  remove(key: string): Promise<void>;
  /** Sends a message. The same `id` may be sent again: it is stored once. */
  chat(request: { text: string; session: string; id: string }): AsyncIterable<ChatEvent>;
  /** Everything that happens from now on; ends only with an error, the connection or `signal`. */
  events(signal: AbortSignal): AsyncIterable<LiveEvent>;
}

/** `token` is asked for each request; `onUnauthorized` is told when the gateway wants another one. */
export function createApi(options: { token: () => string | undefined; onUnauthorized: () => void }): Api {
  async function request(path: string, init: RequestInit & { accept?: string } = {}): Promise<Response> {
    const { accept = 'application/json', ...rest } = init;
    const headers = new Headers({ Accept: accept });
    const token = options.token();
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    if (rest.body) headers.set('Content-Type', 'application/json');
    let response: Response;
    try {
      response = await fetch(`api/${path}`, { ...rest, headers, cache: 'no-store' });
    } catch (cause) {
      throw new ApiError('unreachable', 0, 'The gateway cannot be reached.', { cause });
    }
    if (response.status === 401) options.onUnauthorized();
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async function json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await (await request(path, init)).json()) as T;
  }

  async function* stream<E extends { event: string }>(path: string, init: RequestInit): AsyncGenerator<E> {
    const response = await request(path, { ...init, accept: 'text/event-stream' });
    if (!response.body) throw new ApiError('unreachable', 0, 'The gateway sent no stream.');
    try {
      yield* readEvents<E>(response.body);
    } catch (cause) {
      throw new ApiError('unreachable', 0, 'The connection to the gateway broke off.', { cause });
    }
  }

  const sessionPath = (key: string) => `sessions/${encodeURIComponent(key)}`;

  return {
    status: () => json('status'),
    sessions: (query) => json(`sessions?${sessionSearch(query)}`),
    session: async (key) => (await json<{ session: SessionDetail }>(sessionPath(key))).session,
    messages: (key, { limit, before }) => {
      const search = new URLSearchParams({ segment: 'all', limit: String(limit) });
      if (before !== undefined) search.set('before', String(before));
      return json(`${sessionPath(key)}/messages?${search}`);
    },
    rename: async (key, title) => {
      const body = JSON.stringify({ title });
      return (await json<{ session: Session }>(`${sessionPath(key)}/rename`, { method: 'POST', body }))
        .session;
    },
    act: async (key, action) => {
      await request(`${sessionPath(key)}/${action}`, { method: 'POST' });
    },
    remove: async (key) => {
      await request(sessionPath(key), { method: 'DELETE' });
    },
    chat: (message) => stream('chat', { method: 'POST', body: JSON.stringify(message) }),
    events: (signal) => stream('events', { signal }),
  };
}

function sessionSearch({ q, channel, view, cursor, limit = 40 }: SessionQuery): URLSearchParams {
  const search = new URLSearchParams({ limit: String(limit) });
  if (q) search.set('q', q);
  if (channel) search.set('channel', channel);
  if (view === 'archived' || view === 'deleted') search.set(view, 'true');
  if (cursor) search.set('cursor', cursor);
  return search;
}
