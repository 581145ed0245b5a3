import type { AgentRuntime, TurnEvent } from '@x/agent-runtime';
import type { SessionBackend, StoredMessage } from '@x/session-store';
import {
  type LiveSessionView,
  type MessageView,
  TAIL_MESSAGES,
  viewLiveSession,
  viewMessage,
} from './session-view.js';
import { viewSteeringEvent, viewSubTurnEvent, viewSummaryEvent, viewToolEvent } from './turn-views.js';

/** What happens in the gateway, as those who watch it are told. */
export type LiveEvent =
  | { readonly name: 'session'; readonly payload: { readonly session: LiveSessionView } }
  | { readonly name: 'session_deleted'; readonly payload: { readonly key: string } }
  | { readonly name: 'turn'; readonly payload: InTurn & { readonly state: string } }
  | { readonly name: 'user' | 'message'; readonly payload: InTurn & { readonly message: MessageView } }
  | { readonly name: 'token'; readonly payload: InTurn & { readonly text: string } }
  | {
      readonly name: 'tool';
      readonly payload: InTurn & {
        readonly phase: string;
        readonly id: string;
        readonly name: string;
        readonly arguments?: string;
        readonly result?: string;
      };
    }
  | { readonly name: 'steering'; readonly payload: InTurn & ReturnType<typeof viewSteeringEvent> }
  | {
      readonly name: 'sub_turn';
      readonly payload: InTurn & NonNullable<ReturnType<typeof viewSubTurnEvent>>;
    }
  | { readonly name: 'summary'; readonly payload: InTurn & ReturnType<typeof viewSummaryEvent> };
interface InTurn {
  readonly session_key: string;
  readonly turn_id: string;
}

export interface LiveFeed {
  /** Tells first what running turns have said so far. Returns what ends the subscription. */
  subscribe(watcher: Watcher): () => void;
  /** Tells how the session is now. Calls that come while one is being answered share the next answer. */
  sessionChanged(key: string): void;
  sessionDeleted(key: string): void;
  /** Tells of a message that is no turn's, such as a job's: its own id stands for the turn's. */
  messageStored(key: string, message: StoredMessage): void;
  /** Ends all subscriptions. */
  close(): void;
}

export interface Watcher {
  tell(event: LiveEvent): void;
  /** The feed is over. */
  end(): void;
}

export interface LiveFeedOptions {
  readonly runtime: AgentRuntime;
  readonly backend: SessionBackend;
  readonly onError: (error: unknown) => void;
}

export function createLiveFeed({ runtime, backend, onError }: LiveFeedOptions): LiveFeed {
  const watchers = new Set<Watcher>();
  const changed = new Set<string>();
  let isTelling = false;

  function publish(event: LiveEvent): void {
    for (const watcher of watchers) watcher.tell(event);
  }

  async function tellChanges(): Promise<void> {
    if (isTelling) return;
    isTelling = true;
    try {
      for (const key of changed) {
        changed.delete(key);
        const meta = await backend.meta(key);
        if (meta === undefined || meta.deletedAt !== undefined) continue;
        const session = viewLiveSession(
          meta,
          await readTail(backend, key),
          runtime.running(key) !== undefined,
        );
        publish({ name: 'session', payload: { session } });
      }
    } catch (error) {
      onError(error);
    } finally {
      isTelling = false;
    }
  }

  const feed: LiveFeed = {
    subscribe(watcher) {
      watchers.add(watcher);
      for (const { turn: running, said: text } of runtime.active()) {
        const turn = { session_key: running.sessionKey, turn_id: running.id };
        watcher.tell({ name: 'turn', payload: { ...turn, state: 'running' } });
        if (text !== '') watcher.tell({ name: 'token', payload: { ...turn, text } });
      }
      return () => void watchers.delete(watcher);
    },
    sessionChanged(key) {
      if (watchers.size === 0) return;
      changed.add(key);
      void tellChanges();
    },
    sessionDeleted(key) {
      publish({ name: 'session_deleted', payload: { key } });
    },
    messageStored(key, message) {
      const turn = { session_key: key, turn_id: message.id };
      publish({ name: 'message', payload: { ...turn, message: viewMessage(message) } });
      feed.sessionChanged(key);
    },
    close() {
      for (const watcher of [...watchers]) watcher.end();
      watchers.clear();
    },
  };

  runtime.subscribe((event) => {
    if (watchers.size === 0) return;
    for (const live of liveEvents(event)) publish(live);
    if (CHANGES.has(event.type)) {
      feed.sessionChanged(event.sessionKey);
    }
    // The runtime lets go of a turn only after it has told its end.
    if (event.type === 'ended') setImmediate(() => feed.sessionChanged(event.sessionKey));
  });
  return feed;
}

const CHANGES: ReadonlySet<TurnEvent['type']> = new Set([
  'accepted',
  'healed',
  'message',
  'steering',
  'summary',
  'undone',
]);

/** The newest messages of a session, in seq order. */
export async function readTail(backend: SessionBackend, key: string) {
  return (await backend.read(key, { limit: TAIL_MESSAGES, order: 'desc' })).toReversed();
}

function inTurn(event: TurnEvent): InTurn {
  return { session_key: event.sessionKey, turn_id: event.turnId };
}

function liveEvents(event: TurnEvent): LiveEvent[] {
  const turn = inTurn(event);
  switch (event.type) {
    case 'started':
      return [{ name: 'turn', payload: { ...turn, state: 'running' } }];
    case 'accepted':
      return [{ name: 'user', payload: { ...turn, message: viewMessage(event.message) } }];
    case 'healed':
    case 'message':
      return [{ name: 'message', payload: { ...turn, message: viewMessage(event.message) } }];
    case 'token':
      return [{ name: 'token', payload: { ...turn, text: event.text } }];
    case 'steering': {
      const told: LiveEvent = { name: 'steering', payload: { ...turn, ...viewSteeringEvent(event) } };
      if (event.phase === 'waiting') return [told];
      return [told, { name: 'user', payload: { ...turn, message: viewMessage(event.message) } }];
    }
    case 'sub_turn': {
      const view = viewSubTurnEvent(event);
      return view === undefined ? [] : [{ name: 'sub_turn', payload: { ...turn, ...view } }];
    }
    case 'summary':
      return [{ name: 'summary', payload: { ...turn, ...viewSummaryEvent(event) } }];
    case 'tool':
      return [{ name: 'tool', payload: { ...turn, ...viewToolEvent(event) } }];
    case 'ended':
      return [{ name: 'turn', payload: { ...turn, state: event.outcome.status } }];
    default:
      return [];
  }
}
