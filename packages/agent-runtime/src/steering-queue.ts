import {
  MessageTooLarge,
  type SessionBackend,
  SessionStoreError,
  type StoredMessage,
} from '@x/session-store';
import type { RuntimeLogger } from './runtime-logger.js';
import type { Transcript } from './transcript.js';
import { forgetWaiting, type WaitingMessage, waitingAttributes } from './waiting-message.js';

/** How many of the waiting messages join at one point. */
export type SteeringMode = 'one-at-a-time' | 'all';

/** A message on its way into a turn. */
export interface SteeringEntry {
  readonly message: WaitingMessage;
  /** `person`: it is kept in the store while it waits, and sets aside the tools not yet run. `sub-turn`: neither. */
  readonly from: 'person' | 'sub-turn';
  /** Already kept: by an earlier turn, or before the process died. */
  readonly isKept: boolean;
  /** It is safe. */
  readonly accepted?: () => void;
  /** It could not be kept, and does not wait. */
  readonly refused?: (error: unknown) => void;
}

/**
 * The messages that wait for one turn. Invariant: what was accepted is in the store, as waiting or as part of the
 * history, and leaves the queue in the order in which it came; a closed queue is empty or its rest was handed over.
 */
export interface SteeringQueue {
  readonly isOpen: boolean;
  /** Messages that wait, or are being kept. */
  readonly size: number;
  /** Sub-turn results among them. */
  readonly results: number;
  /** Takes a message while the queue is open. */
  offer(entry: SteeringEntry): void;
  /** What the store says is waiting, from before. */
  adopt(messages: readonly WaitingMessage[]): void;
  /** The turn's own message is stored: from now on others can be kept behind it. */
  begin(): void;
  hasPersonWaiting(): boolean;
  /** Moves what waits into the history, as much as the mode says. */
  join(mode: SteeringMode, transcript: Transcript): Promise<readonly StoredMessage[]>;
  /** Waits until nothing is being kept. */
  settle(): Promise<void>;
  /** Closes the queue where nothing is left in it. */
  closeIfEmpty(): Promise<boolean>;
  /** Closes it, and gives what is left; to be called when it has settled. */
  close(): readonly SteeringEntry[];
}

/** Orders of messages that come within one millisecond, or while the clock goes back, still differ. */
let lastOrder = 0;

export function createSteeringQueue(place: {
  readonly backend: SessionBackend;
  readonly sessionKey: string;
  readonly clock: () => Date;
  readonly logger: RuntimeLogger;
}): SteeringQueue {
  const { backend, sessionKey, clock, logger } = place;
  const unkept: SteeringEntry[] = [];
  let waiting: SteeringEntry[] = [];
  let keeping: SteeringEntry[] = [];
  let isOpen = true;
  let hasBegun = false;
  let isKeeping: Promise<void> | undefined;

  function nextOrder(): number {
    lastOrder = Math.max(lastOrder + 1, clock().getTime() * 1000);
    return lastOrder;
  }

  /** All that came while one write was under way share the next. */
  async function keepAll(): Promise<void> {
    while (unkept.length > 0) {
      keeping = unkept.splice(0).filter(fits);
      const toKeep = keeping.filter(({ from, isKept }) => from === 'person' && !isKept);
      try {
        if (toKeep.length > 0) {
          const attributes = waitingAttributes(
            toKeep.map(({ message }) => ({ message, order: nextOrder() })),
          );
          await backend.ensure(sessionKey, { attributes });
        }
        waiting.push(...keeping.map((entry) => ({ ...entry, isKept: entry.from === 'person' })));
        for (const { accepted } of keeping) accepted?.();
      } catch (error) {
        waiting.push(...keeping.filter((entry) => !toKeep.includes(entry)));
        for (const { refused } of toKeep) refused?.(error);
      }
      keeping = [];
    }
  }

  function fits({ message, refused }: SteeringEntry): boolean {
    const limit = backend.capabilities.maxMessageBytes;
    if (Buffer.byteLength(JSON.stringify(message)) <= limit) return true;
    const sentence = `The message is larger than the ${limit} bytes that the store takes.`;
    refused?.(new MessageTooLarge(sentence, { key: sessionKey }));
    return false;
  }

  function keep(): void {
    if (!hasBegun || isKeeping !== undefined || unkept.length === 0) return;
    isKeeping = keepAll().then(() => {
      isKeeping = undefined;
      keep();
    });
  }

  async function settle(): Promise<void> {
    while (isKeeping !== undefined) await isKeeping;
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get size() {
      return unkept.length + keeping.length + waiting.length;
    },
    get results() {
      return [...unkept, ...keeping, ...waiting].filter(({ from }) => from === 'sub-turn').length;
    },
    offer(entry) {
      if (!isOpen) throw new Error('A closed queue was offered a message.');
      unkept.push(entry);
      keep();
    },
    adopt(messages) {
      const known = new Set([...waiting, ...keeping, ...unkept].map(({ message }) => message.id));
      const found = messages
        .filter(({ id }) => !known.has(id))
        .map((message): SteeringEntry => ({ message, from: 'person', isKept: true }));
      waiting = [...found, ...waiting];
    },
    begin() {
      hasBegun = true;
      keep();
    },
    hasPersonWaiting: () => waiting.some(({ from }) => from === 'person'),
    async join(mode, transcript) {
      const joined: StoredMessage[] = [];
      for (let left = mode === 'all' ? waiting.length : 1; left > 0; left -= 1) {
        const entry = waiting[0];
        if (entry === undefined) break;
        try {
          const { message, appended } = await transcript.append(entry.message);
          if (appended) joined.push(message);
          // One that was in the history already takes nobody's place.
          else if (mode !== 'all') left += 1;
        } catch (error) {
          if (!(error instanceof SessionStoreError) || !NEVER_TAKEN.has(error.code)) throw error;
          logger.warn({ sessionKey, error }, 'A message that waited cannot be stored, and is given up.');
        }
        waiting.shift();
        if (entry.isKept) await forgetWaiting(place, entry.message.id);
      }
      return joined;
    },
    settle,
    async closeIfEmpty() {
      await settle();
      if (waiting.length + unkept.length > 0) return false;
      isOpen = false;
      return true;
    },
    close() {
      isOpen = false;
      return [...waiting.splice(0), ...keeping, ...unkept.splice(0)];
    },
  };
}

const NEVER_TAKEN: ReadonlySet<string> = new Set(['MessageTooLarge', 'InvalidMessage']);
