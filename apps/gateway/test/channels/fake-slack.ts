import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type FakeAnswer, fakeHttp } from './fake-http.js';

export const SIGNING_SECRET = 'slack signing secret';

interface Posted {
  text: string;
  readonly ts: string;
  readonly thread: string | undefined;
}

/** Slack's Web API and Socket Mode, for one app with the user UBOT. */
export async function fakeSlack() {
  const posted: Posted[] = [];
  const acknowledged = new Set<string>();
  const troubles: FakeAnswer[] = [];
  const sockets = new Set<WebSocket>();
  let nextTs = 1000;
  let nextEnvelope = 1;

  const { url, server } = await fakeHttp(({ path, fields }) => {
    const method = path.split('/').at(-1);
    const trouble = method === 'chat.postMessage' ? troubles.shift() : undefined;
    const blocks = typeof fields.blocks === 'string' ? JSON.parse(fields.blocks) : undefined;
    if (method === 'chat.postMessage' && (trouble === undefined || trouble.cut)) {
      posted.push({
        text: blocks?.[0]?.text ?? String(fields.text),
        ts: `${nextTs++}.000100`,
        thread: fields.thread_ts === undefined ? undefined : String(fields.thread_ts),
      });
    }
    if (trouble !== undefined) return trouble;
    switch (method) {
      case 'auth.test':
        return { json: { ok: true, user_id: 'UBOT', bot_id: 'BBOT', team_id: 'T1' } };
      case 'apps.connections.open':
        return { json: { ok: true, url: `${url.replace('http', 'ws')}/socket` } };
      case 'chat.postMessage':
        return { json: { ok: true, ts: posted.at(-1)?.ts, channel: fields.channel } };
      case 'chat.update': {
        const message = posted.find(({ ts }) => ts === fields.ts);
        if (message === undefined) return { json: { ok: false, error: 'message_not_found' } };
        message.text = blocks?.[0]?.text ?? String(fields.text);
        return { json: { ok: true, ts: message.ts } };
      }
      default:
        return { json: { ok: false, error: 'unknown_method' } };
    }
  });
  const hub = new WebSocketServer({ server, path: '/socket' });
  hub.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data) => {
      const { envelope_id } = JSON.parse(String(data)) as { envelope_id?: string };
      if (envelope_id !== undefined) acknowledged.add(envelope_id);
    });
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A1' } }));
  });

  const callback = (event: object) => ({ type: 'event_callback', team_id: 'T1', event_id: 'E', event });
  return {
    url: `${url}/api/`,
    posted,
    troubles,
    sockets,
    callback,
    /** Over the socket, again and again until it is acknowledged, as Slack does it. */
    async push(event: object): Promise<void> {
      const envelope = `envelope-${nextEnvelope++}`;
      const payload = callback(event);
      const text = JSON.stringify({
        type: 'events_api',
        envelope_id: envelope,
        payload,
        accepts_response_payload: false,
      });
      await expect
        .poll(
          async () => {
            for (const socket of sockets) socket.send(text);
            await new Promise((resolve) => setTimeout(resolve, 100));
            return acknowledged.has(envelope);
          },
          { timeout: 20_000, interval: 50 },
        )
        .toBe(true);
    },
    /** The headers that Slack signs a request with. */
    signed(body: string, seconds = Math.floor(Date.now() / 1000), secret = SIGNING_SECRET) {
      const digest = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
      return { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${digest}` };
    },
  };
}
