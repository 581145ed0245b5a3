import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { loopbackServer } from '../support/loopback-server.js';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The fields of a JSON, form or multipart body; of files the name and the length. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  /** The connection breaks instead of an answer. */
  readonly cut?: boolean;
}

/** A server on a free port that answers as told, gone when the test has ended. */
export async function fakeHttp(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>) {
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://fake');
    const body = await buffer(incoming);
    const request: FakeRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
      fields: await fieldsOf(incoming.headers['content-type'] ?? '', body),
    };
    const { status = 200, headers = {}, json, bytes, cut } = await answer(request);
    if (cut === true) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(status, {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    outgoing.end(bytes ?? (json === undefined ? undefined : JSON.stringify(json)));
  }
  return loopbackServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
}

async function fieldsOf(type: string, body: Buffer): Promise<Record<string, unknown>> {
  if (body.length === 0) return {};
  if (type.includes('json')) {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  }
  if (!/form/.test(type)) return {};
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form.entries()) {
    fields[name] = typeof value === 'string' ? value : { name: value.name, size: value.size };
  }
  return fields;
}
