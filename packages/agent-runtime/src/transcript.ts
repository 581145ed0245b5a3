import type { Message, SessionBackend, StoredMessage } from '@x/session-store';

/** The history of one session while its turn runs. The only place that writes messages. */
export interface Transcript {
  /** The newest active messages, those appended here included. */
  history(): readonly StoredMessage[];
  /** Durable when it resolves, with what goes `before` it as one write. `appended` is false for a message whose id was there already; it keeps its place. */
  append(
    message: Message,
    before?: readonly Message[],
  ): Promise<{ readonly message: StoredMessage; readonly appended: boolean }>;
  /** All or none, as one write. */
  appendAll(messages: readonly Message[]): Promise<readonly StoredMessage[]>;
  /** Takes the messages up to this seq out of `history`, after the store has moved its cutoff behind them. */
  forget(throughSeq: number): void;
}

export interface TranscriptPlace {
  readonly backend: SessionBackend;
  readonly sessionKey: string;
  readonly limit: number;
  readonly clock: () => Date;
  readonly createId: () => string;
}

/** Reads once; from then on the turn sees what it began with and what it added itself. */
export async function openTranscript(place: TranscriptPlace): Promise<Transcript> {
  const { backend, sessionKey, limit, clock, createId } = place;
  const newest = await backend.read(sessionKey, { order: 'desc', limit });
  const history = newest.toReversed();

  async function write(messages: readonly Message[]) {
    const createdAt = clock().toISOString();
    const complete = messages.map((message) => ({ ...message, id: message.id ?? createId(), createdAt }));
    const places = await backend.append(sessionKey, complete);
    return complete.map((message, index) => {
      const place = places[index];
      if (place === undefined) throw new Error('The store answered for fewer messages than it was given.');
      const stored: StoredMessage = { ...message, id: place.id, seq: place.seq };
      if (place.appended) history.push(stored);
      return { message: stored, appended: place.appended };
    });
  }

  return {
    history: () => history,
    async append(message, before = []) {
      const written = (await write([...before, message])).at(-1);
      if (written === undefined) throw new Error('The store answered for no message.');
      return written;
    },
    appendAll: async (messages) =>
      messages.length === 0 ? [] : (await write(messages)).map(({ message }) => message),
    forget(throughSeq) {
      const kept = history.findIndex(({ seq }) => seq > throughSeq);
      history.splice(0, kept < 0 ? history.length : kept);
    },
  };
}
