import { EventEmitter, once } from 'node:events';
import { type FakeAnswer, type FakeRequest, fakeHttp } from './fake-http.js';

export interface SentMessage {
  readonly method: string;
  readonly chat: string;
  readonly id: number;
  text: string;
  readonly thread: string | undefined;
  readonly replyTo: number | undefined;
  edits: number;
}

type Trouble = (method: string, fields: Readonly<Record<string, unknown>>) => FakeAnswer | undefined;

/** A Bot API server as api.telegram.org is one, for one bot: long polling, messages, edits, files. */
export async function fakeTelegram(token = '1:secret') {
  const arrivals = new EventEmitter().setMaxListeners(0);
  const updates: { update_id: number; [name: string]: unknown }[] = [];
  const sent: SentMessage[] = [];
  const calls: string[] = [];
  const files = new Map<string, Buffer>();
  let nextUpdate = 100;
  let nextMessage = 1000;
  let trouble: Trouble = () => undefined;

  async function answer({ path, fields }: FakeRequest): Promise<FakeAnswer> {
    const file = path.startsWith(`/file/bot${token}/`) ? files.get(path.split('/').at(-1) ?? '') : undefined;
    if (file !== undefined) return { bytes: file, headers: { 'content-type': 'application/octet-stream' } };
    if (!path.startsWith(`/bot${token}/`)) return failure(401, 'Unauthorized');
    const method = path.split('/').at(-1) ?? '';
    calls.push(method);
    return trouble(method, fields) ?? act(method, fields);
  }

  async function act(method: string, fields: Readonly<Record<string, unknown>>): Promise<FakeAnswer> {
    switch (method) {
      case 'getMe':
        return well({ id: 1, is_bot: true, first_name: 'Bot', username: 'HoldfastBot' });
      case 'getUpdates': {
        const offset = Number(fields.offset ?? 0);
        // Asking for later ones confirms those before.
        while ((updates[0]?.update_id ?? offset) < offset) updates.shift();
        if (updates.length === 0) {
          await Promise.race([once(arrivals, 'update'), new Promise((resolve) => setTimeout(resolve, 1000))]);
        }
        return well(updates.filter(({ update_id }) => update_id >= offset));
      }
      case 'sendMessage':
      case 'sendPhoto':
      case 'sendDocument': {
        const text = String(fields.text ?? fields.caption ?? '');
        if (plain(text).length > 4096) return failure(400, 'Bad Request: message is too long');
        const reply = parsed(fields.reply_parameters) as { message_id?: number } | undefined;
        const message = {
          method,
          chat: String(fields.chat_id),
          id: nextMessage++,
          text,
          thread: fields.message_thread_id === undefined ? undefined : String(fields.message_thread_id),
          replyTo: reply?.message_id,
          edits: 0,
        };
        sent.push(message);
        return well({ message_id: message.id, date: 0, chat: { id: message.chat, type: 'private' }, text });
      }
      case 'editMessageText': {
        const message = sent.find(({ id }) => id === Number(fields.message_id));
        if (message === undefined) return failure(400, 'Bad Request: message to edit not found');
        if (message.text === fields.text) return failure(400, 'Bad Request: message is not modified');
        message.text = String(fields.text);
        message.edits += 1;
        return well(true);
      }
      case 'getFile':
        return well({
          file_id: fields.file_id,
          file_unique_id: 'u',
          file_path: `photos/${fields.file_id}.jpg`,
        });
      default:
        return well(true);
    }
  }

  const { url } = await fakeHttp(answer);
  const fake = {
    url,
    token,
    sent,
    calls,
    files,
    /** What goes wrong from now on. */
    trouble(given: Trouble) {
      trouble = given;
    },
    /** An update as Telegram would bring it; with `again` the very same once more. */
    push(update: Readonly<Record<string, unknown>>) {
      const whole = { update_id: nextUpdate++, ...update };
      updates.push(whole);
      arrivals.emit('update');
      return whole;
    },
    /** A person says something; what is given goes into the message. */
    say(chat: number, text: string, more: Readonly<Record<string, unknown>> = {}) {
      const message = {
        message_id: nextMessage++,
        date: 1,
        chat: chat > 0 ? { id: chat, type: 'private' } : { id: chat, type: 'supergroup', title: 'G' },
        from: { id: Math.abs(chat), is_bot: false, first_name: 'Ann' },
        text,
        ...more,
      };
      return fake.push({ message });
    },
    /** The texts sent to a chat, without markup. */
    heard: (chat: number) =>
      sent.filter((message) => message.chat === String(chat)).map(({ text }) => plain(text)),
  };
  return fake;
}

const well = (result: unknown): FakeAnswer => ({ json: { ok: true, result } });

export function failure(status: number, description: string, parameters?: object): FakeAnswer {
  return {
    status,
    json: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
  };
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

function plain(text: string): string {
  return text
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
