import { keepToken, readToken } from '../api/access-token.js';
import { sentenceOf } from '../api/api-error.js';
import { createApi } from '../api/client.js';
import type { LiveEvent, Session, Status } from '../api/shapes.js';
import { isGeneratedName, newChatName, titleFrom } from '../text/session-name.js';
import { createCell } from './cell.js';
import { createConnection } from './connection.js';
import { createConversationStore } from './conversation.js';
import { createFrameBatch } from './frame-batch.js';
import { applyToLiveTurns, type LiveTurns, markMissed } from './live-turns.js';
import { createOutbox, type Outgoing } from './outbox.js';
import { createRouter } from './route.js';
import { createSending } from './sending.js';
import { createSessionListStore } from './session-list-store.js';
import { createToasts } from './toast.js';

const newChatKey = 'holdfast.new-chat';

/** Everything the page knows, and what can be done on it. Components take what they need from here. */
export function createPageStore() {
  const tokenWanted = createCell(false);
  const status = createCell<Status | undefined>(undefined);
  const liveTurns = createCell<LiveTurns>(new Map());
  const named = new Set<string>();
  const toasts = createToasts();
  const router = createRouter();
  const outbox = createOutbox(sessionStorage);
  const api = createApi({ token: readToken, onUnauthorized: () => tokenWanted.set(true) });
  const sessionList = createSessionListStore(api);
  const conversation = createConversationStore({
    api,
    onMissing: () => router.replace({ page: 'new' }),
    onBegun: (key) => router.replace({ page: 'session', key }),
  });
  const sending = createSending(api, outbox, {
    onAccepted(outgoing, sessionKey, message) {
      conversation.confirm(outgoing.target, sessionKey, message);
      nameChat(outgoing, sessionKey);
    },
    onMessage: conversation.takeMessage,
    onTurnFailed(sessionKey, sentence) {
      conversation.fail(sessionKey, sentence);
      void conversation.catchUp();
    },
  });

  /** A new chat's name, the same over a reload, so that its first message lands in one session even if sent twice. */
  function pendingChatName(): string {
    const name = sessionStorage.getItem(newChatKey) ?? newChatName();
    sessionStorage.setItem(newChatKey, name);
    return name;
  }

  /** A chat begun here has only a made-up name; its first words say more. */
  function nameChat({ target, text }: Outgoing, sessionKey: string): void {
    if (!isGeneratedName(target) || named.has(target)) return;
    named.add(target);
    if (sessionStorage.getItem(newChatKey) === target) sessionStorage.removeItem(newChatKey);
    api.rename(sessionKey, titleFrom(text)).catch(() => undefined);
  }

  function followRoute(): void {
    const route = router.cell.get();
    if (route.page === 'new') conversation.openNew(pendingChatName());
    else if (route.key !== conversation.cell.get().target) void conversation.open(route.key);
  }

  const takeEvents = createFrameBatch<LiveEvent>((events) => {
    let turns = liveTurns.get();
    for (const event of events) {
      turns = applyToLiveTurns(turns, event);
      sessionList.apply(event);
      if (event.event === 'user') adopt(event.session_key, event.message.id);
      conversation.apply(event);
    }
    liveTurns.set(turns);
  });

  /** A new chat's first message may come back as an event before its sender hears that it was accepted. */
  function adopt(sessionKey: string, messageId: string): void {
    const outgoing = outbox.cell.get().find(({ id }) => id === messageId);
    if (outgoing && outgoing.target !== sessionKey && conversation.cell.get().target === outgoing.target) {
      conversation.begin(outgoing.target, sessionKey);
    }
  }

  const connection = createConnection({
    api,
    onEvent: takeEvents,
    onOpen({ restarted }) {
      liveTurns.update((turns) => (restarted ? new Map() : markMissed(turns)));
      void refreshStatus();
      // Also the first time: what was fetched already may have changed before the line was open.
      void sessionList.refresh();
      void conversation.catchUp();
    },
  });

  async function refreshStatus(): Promise<void> {
    status.set(await api.status().catch(() => status.get()));
  }

  /** Runs what a person asked for, and says so when it did not work. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      toasts.show({ text: sentenceOf(error) });
    }
  }

  conversation.cell.subscribe(() => {
    const waiting = outbox.cell.get();
    if (waiting.length === 0) return;
    const { messages } = conversation.cell.get().timeline;
    for (const { id } of waiting) if (messages.some((message) => message.id === id)) outbox.remove(id);
  });
  router.cell.subscribe(followRoute);
  followRoute();
  void sessionList.refresh();
  sending.resume();
  const wake = () => {
    if (!document.hidden) connection.wake();
  };
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);

  return {
    tokenWanted,
    status,
    liveTurns,
    toasts,
    router,
    outbox,
    sessionList,
    conversation,
    connection: connection.cell,
    retryConnection: connection.wake,
    giveToken(token: string): void {
      keepToken(token);
      location.reload();
    },
    newChat(): void {
      router.go({ page: 'new' });
    },
    openSession(key: string): void {
      router.go({ page: 'session', key });
    },
    send(text: string): void {
      void sending.send(conversation.cell.get().target, text);
    },
    retry: (outgoing: Outgoing) => void sending.retry(outgoing),
    stop: (key: string) => attempt(() => api.act(key, 'stop')),
    rename: (key: string, title: string) =>
      attempt(async () => {
        const session = await api.rename(key, title);
        takeSession(session);
      }),
    reset: (key: string) =>
      attempt(async () => {
        await api.act(key, 'reset');
        toasts.show({ text: 'Reset: the agent starts afresh. Everything above stays readable.' });
        await conversation.catchUp();
      }),
    archive: (session: Session) =>
      attempt(async () => {
        await api.act(session.key, 'archive');
        takeSession({ ...session, archived: true });
        toasts.show({
          text: 'Archived. A new message brings it back.',
          undo: () => attempt(() => unarchive(session)),
        });
      }),
    unarchive: (session: Session) => attempt(() => unarchive(session)),
    remove: (session: Session) =>
      attempt(async () => {
        await api.remove(session.key);
        sessionList.apply({ event: 'session_deleted', key: session.key });
        if (conversation.cell.get().target === session.key) router.go({ page: 'new' });
        toasts.show({ text: 'Deleted.', undo: () => attempt(() => restore(session)) });
      }),
    restore: (session: Session) => attempt(() => restore(session)),
  };

  function takeSession(session: Session): void {
    sessionList.apply({ event: 'session', session });
    conversation.apply({ event: 'session', session });
  }

  async function unarchive(session: Session): Promise<void> {
    await api.act(session.key, 'unarchive');
    takeSession({ ...session, archived: false });
    toasts.dismiss();
  }

  async function restore(session: Session): Promise<void> {
    await api.act(session.key, 'restore');
    sessionList.apply({ event: 'session', session: { ...session, deleted: false } });
    toasts.dismiss();
    router.go({ page: 'session', key: session.key });
  }
}

export type PageStore = ReturnType<typeof createPageStore>;
