import { type WebSocket, WebSocketServer } from 'ws';
import { type FakeAnswer, fakeHttp } from './fake-http.js';

const BOT = {
  id: '900',
  username: 'holdfast',
  discriminator: '0',
  global_name: null,
  avatar: null,
  bot: true,
};
const ANN = { id: '7', username: 'ann', discriminator: '0', global_name: 'Ann', avatar: null };
const GUILD = '500';
export const CHANNEL = '501';
export const THREAD = '502';
const DIRECT = '503';

/** Discord's REST API and its gateway, version 10, for one bot in one guild with a channel and a thread. */
export async function fakeDiscord() {
  const posted: { id: string; text: string; channel: string; nonce: string }[] = [];
  const troubles: FakeAnswer[] = [];
  const sockets = new Set<WebSocket>();
  let nextId = 10_000;
  let sequence = 1;

  const { url, server } = await fakeHttp(({ method, path, fields }) => {
    if (path.endsWith('/gateway/bot')) {
      const limit = { total: 10, remaining: 10, reset_after: 1000, max_concurrency: 1 };
      return { json: { url: url.replace('http', 'ws'), shards: 1, session_start_limit: limit } };
    }
    const [, channel = '', id] = /\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
    if (channel === '') return { status: 204 };
    if (method === 'PATCH') {
      const message = posted.find((each) => each.id === id);
      if (message === undefined) return { status: 404, json: { code: 10_008, message: 'Unknown Message' } };
      message.text = String(fields.content);
      return { json: { id } };
    }
    const trouble = troubles.shift();
    const nonce = String(fields.nonce);
    if ((trouble === undefined || trouble.cut) && !posted.some((each) => each.nonce === nonce)) {
      posted.push({ id: String(nextId++), text: String(fields.content), channel, nonce });
    }
    return trouble ?? { json: { id: posted.find((each) => each.nonce === nonce)?.id } };
  });

  const hub = new WebSocketServer({ server });
  hub.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 40_000 } }));
    socket.on('message', (data) => {
      const { op } = JSON.parse(String(data)) as { op: number };
      if (op === 1) socket.send(JSON.stringify({ op: 11 }));
      // Identify, or resume: both begin anew here.
      if (op === 6) socket.send(JSON.stringify({ op: 9, d: false }));
      if (op === 2) welcome(socket);
    });
  });

  function welcome(socket: WebSocket): void {
    const application = { id: '901', flags: 0 };
    const resume = url.replace('http', 'ws');
    dispatch(socket, 'READY', {
      v: 10,
      user: BOT,
      guilds: [{ id: GUILD, unavailable: true }],
      session_id: 's',
      resume_gateway_url: resume,
      application,
    });
    dispatch(socket, 'GUILD_CREATE', {
      id: GUILD,
      name: 'Guild',
      owner_id: '1',
      roles: [],
      emojis: [],
      features: [],
      members: [],
      member_count: 2,
      presences: [],
      voice_states: [],
      stage_instances: [],
      stickers: [],
      guild_scheduled_events: [],
      channels: [{ id: CHANNEL, type: 0, name: 'general', position: 0, permission_overwrites: [] }],
      threads: [
        {
          id: THREAD,
          type: 11,
          name: 'thread',
          parent_id: CHANNEL,
          owner_id: '7',
          member_count: 1,
          message_count: 1,
        },
      ],
    });
  }

  function dispatch(socket: WebSocket, t: string, d: object): void {
    socket.send(JSON.stringify({ op: 0, t, s: sequence++, d }));
  }

  return {
    url: `${url}/api`,
    posted,
    troubles,
    sockets,
    message(
      text: string,
      place: 'direct' | 'channel' | 'thread',
      more: Readonly<Record<string, unknown>> = {},
    ): void {
      const channel = { direct: DIRECT, channel: CHANNEL, thread: THREAD }[place];
      const message = {
        id: String(nextId++),
        type: 0,
        channel_id: channel,
        channel_type: { direct: 1, channel: 0, thread: 11 }[place],
        ...(place === 'direct' ? {} : { guild_id: GUILD }),
        author: ANN,
        content: text,
        timestamp: '2026-01-01T00:00:00.000Z',
        edited_timestamp: null,
        tts: false,
        mention_everyone: false,
        mentions: [],
        mention_roles: [],
        attachments: [],
        embeds: [],
        pinned: false,
        ...more,
      };
      for (const socket of sockets) dispatch(socket, 'MESSAGE_CREATE', message);
    },
    bot: BOT,
  };
}
