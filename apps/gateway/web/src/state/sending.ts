import { sentenceOf } from '../api/api-error.js';
import type { Api } from '../api/client.js';
import type { Message } from '../api/shapes.js';
import type { Outbox, Outgoing } from './outbox.js';
import { randomId } from './random-id.js';

/** What the rest of the page learns of a message on its way. */
export interface SendingListener {
  onAccepted(outgoing: Outgoing, sessionKey: string, message: Message): void;
  onMessage(sessionKey: string, message: Message): void;
  /** The message is stored, but its answer failed. */
  onTurnFailed(sessionKey: string, sentence: string): void;
}

export interface Sending {
  send(target: string, text: string): Promise<void>;
  /** Sends a message again that could not be confirmed. Safe: its id is the same. */
  retry(outgoing: Outgoing): Promise<void>;
  /** Sends what a reload has cut off. */
  resume(): void;
}

const leavingMs = 300;

export function createSending(api: Pick<Api, 'chat'>, outbox: Outbox, listener: SendingListener): Sending {
  async function deliver(outgoing: Outgoing): Promise<void> {
    const { id, target, text, createdAt } = outgoing;
    outbox.put({ id, target, text, createdAt, state: 'sending' });
    let sessionKey: string | undefined;
    try {
      for await (const event of api.chat({ text, session: target, id })) {
        if (event.event === 'accepted' || (event.event === 'steering' && event.id === id)) {
          sessionKey = event.session_key;
          // Until it joins the running turn it stays below the answer, as on its way.
          if (event.seq === undefined) continue;
          const message: Message = {
            seq: event.seq,
            id: event.id,
            role: 'user',
            content: text,
            created_at: createdAt,
          };
          outbox.remove(id);
          listener.onAccepted(outgoing, sessionKey, message);
        } else if (event.event === 'message' && sessionKey !== undefined) {
          listener.onMessage(sessionKey, event.message);
        } else if (event.event === 'error') {
          if (sessionKey === undefined) throw new Error(event.message);
          listener.onTurnFailed(sessionKey, event.message);
        }
      }
      if (sessionKey === undefined) throw new Error('The gateway did not confirm the message.');
    } catch (error) {
      // Once it is stored, a broken stream is nothing to worry about: the live events go on from there.
      if (sessionKey !== undefined) return;
      // A page that is being left sees its requests fail first. It is gone before this is over, and the message is
      // then still on its way, to be sent again by the next page.
      await new Promise((resolve) => setTimeout(resolve, leavingMs));
      outbox.put({ id, target, text, createdAt, state: 'failed', error: sentenceOf(error) });
    }
  }

  return {
    send: (target, text) =>
      deliver({ id: randomId(), target, text, createdAt: new Date().toISOString(), state: 'sending' }),
    retry: deliver,
    resume() {
      for (const outgoing of outbox.cell.get()) if (outgoing.state === 'sending') void deliver(outgoing);
    },
  };
}
