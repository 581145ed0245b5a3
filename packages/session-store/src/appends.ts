import type { Appended, WriteGuard } from './backend.js';
import type { Change, Found } from './driver.js';
import type { Message, StoredMessage } from './message.js';
import { afterAppend } from './session-fold.js';
import type { SessionMeta } from './session-meta.js';
import { liveOr, type StoreCore } from './store-core.js';

interface Request {
  readonly messages: readonly Message[];
  readonly guard: WriteGuard;
  resolve(appended: readonly Appended[]): void;
  reject(error: unknown): void;
}

/** Requests that may share one step: enough for any burst, few enough that a failure does not take much with it. */
const sharedAtMost = 256;

/**
 * Appends for one session that wait behind the same write go to the driver as one step. The order of calls holds:
 * a batch is joined only while nothing else was asked of its session after it (`seal`).
 */
export function createAppends(core: StoreCore) {
  const waiting = new Map<string, Request[]>();

  async function store(key: string, requests: readonly Request[]): Promise<void> {
    // A lease is the business of its own request; requests under different leases never share a step.
    const guard = requests[0]?.guard ?? {};
    let outcome: readonly (readonly Appended[])[] = [];
    const decide = (found: Found): readonly Change[] => {
      const before = liveOr(found.sessions.get(key), 'append', key);
      const at = core.now();
      const numbered = numberMessages(core, before, requests, found.seqs, at);
      outcome = numbered.outcome;
      return numbered.stored.length === 0 ? [] : [appendChange(before, numbered.stored, at)];
    };
    try {
      await core.transact('append', { keys: [key], messageIds: idsOf(requests) }, guard, decide);
      for (const [index, request] of requests.entries()) request.resolve(outcome[index] ?? []);
    } catch (error) {
      for (const request of requests) request.reject(error);
    } finally {
      core.lanes.leave(key);
    }
  }

  return {
    append(key: string, messages: readonly Message[], guard: WriteGuard): Promise<readonly Appended[]> {
      return new Promise((resolve, reject) => {
        const request: Request = { messages, guard, resolve, reject };
        const batch = waiting.get(key);
        if (batch !== undefined && batch.length < sharedAtMost && batch[0]?.guard.lease === guard.lease) {
          batch.push(request);
          return;
        }
        const mine = [request];
        waiting.set(key, mine);
        core.lanes.enter(key, () => {
          if (waiting.get(key) === mine) waiting.delete(key);
          void store(key, mine);
        });
      });
    },
    /** Something else is asked of the session now: later appends come after it. */
    seal(key: string): void {
      waiting.delete(key);
    },
  };
}

function idsOf(requests: readonly Request[]): readonly string[] {
  const [only] = requests;
  if (requests.length === 1 && only?.messages.length === 1) {
    const id = only.messages[0]?.id;
    return id === undefined ? [] : [id];
  }
  const ids = new Set<string>();
  for (const { messages } of requests) {
    for (const { id } of messages) if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

export function appendChange(before: SessionMeta, stored: readonly StoredMessage[], at: string): Change {
  return {
    key: before.key,
    append: stored,
    meta: afterAppend(before, stored, at),
    derived: before.archivedAt === undefined,
  };
}

function numberMessages(
  core: StoreCore,
  meta: SessionMeta,
  requests: readonly Request[],
  known: ReadonlyMap<string, number>,
  at: string,
) {
  const stored: StoredMessage[] = [];
  const given = new Map<string, number>();
  const outcome = requests.map(({ messages }) =>
    messages.map((message): Appended => {
      const seq = message.id === undefined ? undefined : (known.get(message.id) ?? given.get(message.id));
      if (message.id !== undefined && seq !== undefined) return { id: message.id, seq, appended: false };
      const numbered = numberMessage(core, message, meta.lastSeq + stored.length + 1, at);
      stored.push(numbered);
      given.set(numbered.id, numbered.seq);
      return { id: numbered.id, seq: numbered.seq, appended: true };
    }),
  );
  return { stored, outcome };
}

export function numberMessage(core: StoreCore, message: Message, seq: number, at: string): StoredMessage {
  // What is given goes last: members added to a copy take the engine twenty times as long.
  return { id: message.id ?? core.newId(), seq, createdAt: at, ...message };
}
