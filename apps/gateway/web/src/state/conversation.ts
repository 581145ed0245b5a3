import { ApiError, sentenceOf } from '../api/api-error.js';
import type { Api } from '../api/client.js';
import type { LiveEvent, Message, Session, SessionDetail, TurnState } from '../api/shapes.js';
import { type Cell, createCell } from './cell.js';
import { createHearing, turnHeard, turnOf } from './heard.js';
import {
  emptyTimeline,
  leavesGap,
  oldestSeq,
  type Timeline,
  withMessage,
  withNewestPage,
  withOlderPage,
} from './timeline.js';

/** The conversation on the page. */
export interface Conversation {
  /** The session's key; for a chat not begun yet the plain name it will be begun under. */
  readonly target: string;
  /** Stays the same while it is the same conversation, also when a new chat gets its key. */
  readonly view: number;
  readonly phase: 'new' | 'loading' | 'ready' | 'failed';
  readonly session?: SessionDetail;
  readonly timeline: Timeline;
  readonly loadingOlder: boolean;
  /** Why loading failed, in a sentence. */
  readonly error?: string;
  /** The turn that failed last, by the message it should have answered. */
  readonly failure?: { afterSeq: number; sentence: string };
}

export interface ConversationStore {
  readonly cell: Cell<Conversation>;
  openNew(name: string): void;
  open(key: string): Promise<void>;
  loadOlder(): Promise<void>;
  /** Fetches what may have been missed. */
  catchUp(): Promise<void>;
  apply(event: LiveEvent): void;
  /** The new chat called `name` has become a session. */
  begin(name: string, sessionKey: string): void;
  /** The gateway has stored a message sent from here under this session. */
  confirm(target: string, sessionKey: string, message: Message): void;
  takeMessage(sessionKey: string, message: Message): void;
  fail(sessionKey: string, sentence: string): void;
}

/** One screen and a bit: what is seen first, and each further step back. */
const pageSize = 50;

/**
 * Holds the conversation that is open. `onMissing` is told when the session that was asked for does not exist (any
 * more), `onBegun` when a new chat has become a session.
 */
export function createConversationStore(options: {
  api: Pick<Api, 'session' | 'messages'>;
  onMissing: (key: string) => void;
  onBegun: (sessionKey: string) => void;
}): ConversationStore {
  const { api, onMissing, onBegun } = options;
  let views = 0;
  const hearing = createHearing();
  const cell = createCell<Conversation>(blank('', 'new'));

  function blank(target: string, phase: Conversation['phase']): Conversation {
    views += 1;
    return { target, view: views, phase, timeline: emptyTimeline, loadingOlder: false };
  }

  /** Changes the conversation only while `key` is still the one that is open. */
  function change(key: string, next: (current: Conversation) => Conversation): void {
    if (cell.get().target === key) cell.update(next);
  }

  function takeMessage(key: string, message: Message): void {
    const { target, timeline, phase } = cell.get();
    if (target !== key) return;
    const gap = phase === 'ready' && leavesGap(timeline, message);
    change(key, (current) => ({ ...current, timeline: withMessage(current.timeline, message) }));
    if (gap) void catchUp();
  }

  function takeSession(session: Session): void {
    change(session.key, (current) => {
      const lost = session.message_count < (current.session?.message_count ?? 0);
      if (lost) void open(session.key);
      return { ...current, session: { ...current.session, ...session } };
    });
  }

  function takeTurn(key: string, turn: TurnState): void {
    change(key, (current) =>
      current.session ? { ...current, session: { ...current.session, turn } } : current,
    );
  }

  async function load(key: string): Promise<void> {
    try {
      const [[session, page], heard] = await hearing.during(() =>
        Promise.all([api.session(key), api.messages(key, { limit: pageSize })]),
      );
      // Asked for by an alias: the canonical key is what live events carry.
      const canonical = session.key;
      change(key, ({ error: _, ...current }) => ({
        ...current,
        target: canonical,
        phase: 'ready',
        session,
        timeline: withNewestPage(current.timeline, page),
      }));
      // Not the events whole: an older one's fewer messages would look like a loss.
      const turn = turnHeard(heard, canonical);
      if (turn !== undefined) takeTurn(canonical, turn);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'session_not_found') {
        if (cell.get().target === key) onMissing(key);
        return;
      }
      change(key, (current) =>
        current.phase === 'ready' ? current : { ...current, phase: 'failed', error: sentenceOf(error) },
      );
    }
  }

  async function open(key: string): Promise<void> {
    cell.set(blank(key, 'loading'));
    await load(key);
  }

  async function catchUp(): Promise<void> {
    const { target, phase } = cell.get();
    if (phase !== 'new') await load(target);
  }

  function begin(name: string, key: string): void {
    if (cell.get().target !== name) return;
    cell.update((current) => ({ ...current, target: key, phase: 'ready' }));
    onBegun(key);
    void catchUp();
  }

  return {
    cell,
    openNew: (name) => cell.set(blank(name, 'new')),
    open,
    catchUp,
    takeMessage,
    begin,
    async loadOlder() {
      const { target, timeline, loadingOlder, phase } = cell.get();
      const before = oldestSeq(timeline);
      if (phase !== 'ready' || loadingOlder || !timeline.hasOlder || before === undefined) return;
      change(target, (current) => ({ ...current, loadingOlder: true }));
      try {
        const page = await api.messages(target, { limit: pageSize, before });
        change(target, (current) => ({ ...current, timeline: withOlderPage(current.timeline, page) }));
      } catch {
        // The connection's state is shown already; scrolling up asks again.
      } finally {
        change(target, (current) => ({ ...current, loadingOlder: false }));
      }
    },
    confirm(target, sessionKey, message) {
      if (target !== sessionKey) begin(target, sessionKey);
      takeMessage(sessionKey, message);
    },
    fail(key, sentence) {
      change(key, (current) => {
        const afterSeq = current.timeline.messages.at(-1)?.seq ?? 0;
        return { ...current, failure: { afterSeq, sentence } };
      });
    },
    apply(event) {
      hearing.note(event);
      if (event.event === 'session') takeSession(event.session);
      else if (event.event === 'user' || event.event === 'message') {
        takeMessage(event.session_key, event.message);
      } else if (event.event === 'session_deleted') {
        if (cell.get().target === event.key) onMissing(event.key);
      } else if (event.event === 'turn') takeTurn(event.session_key, turnOf(event));
    },
  };
}
