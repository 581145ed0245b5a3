import { EventSourceParserStream } from 'eventsource-parser/stream';

import type { LiveSessionView, MessageView } from '../../src/session-view.js';

/** All that any answer may hold: a test looks only at what it asked for. */
export interface Answer {
  readonly session_key: string;
  readonly reply: string;
  readonly messages: readonly Said[];
  readonly sessions: readonly LiveSessionView[];
  readonly session: LiveSessionView;
  readonly has_more: boolean;
  readonly first_active_seq: number;
  readonly model: { readonly id: string; readonly offline: boolean };
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string };
}
export type Said = MessageView & { readonly content: string; readonly meta?: { readonly status?: string } };

/** All that the data of any event may hold. */
export interface EventData extends Answer {
  readonly seq: number;
  readonly id: string;
  readonly turn_id: string;
  readonly text: string;
  readonly message: Said;
  readonly key: string;
  readonly state: string;
  readonly started_at: string;
}
export interface StreamEvent {
  readonly event: string;
  readonly data: EventData;
}

/** A client of the HTTP interface, as short as tests need it. */
export function clientOf(url: string, headers: Readonly<Record<string, string>> = {}) {
  async function request(
    method: string,
    path: string,
    body?: unknown,
    extra: Readonly<Record<string, string>> = {},
  ) {
    return fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers, ...extra },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
  async function json(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await request(method, path, body, { accept: 'application/json' });
    return (await answer.json()) as Answer;
  }
  return {
    request,
    get: (path: string) => json('GET', path),
    post: (path: string, body?: unknown) => json('POST', path, body),
    delete: (path: string) => json('DELETE', path),
    /** The events of a turn, as they come. */
    async *chat(body: unknown, path = '/api/chat'): AsyncGenerator<StreamEvent> {
      yield* eventsOf(await request('POST', path, body));
    },
    /** What is said to this person in that chat. */
    async inbound(context: unknown, text: string) {
      return json('POST', '/api/inbound', { context, text });
    },
    async messages(key: string, segment = 'all') {
      const path = `/api/sessions/${encodeURIComponent(key)}/messages?segment=${segment}&limit=1000`;
      const { messages } = await json('GET', path);
      return messages;
    },
  };
}

export type Client = ReturnType<typeof clientOf>;

export async function* eventsOf(answer: Response): AsyncGenerator<StreamEvent> {
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  const events = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) yield { event: event ?? 'message', data: JSON.parse(data) };
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The error in a refusal. */
export async function problemOf(
  answer: Response,
): Promise<{ readonly code: string; readonly message: string }> {
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  return error;
}
