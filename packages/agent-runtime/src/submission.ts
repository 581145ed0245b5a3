import { deferred } from './deferred.js';
import { createReplayLog } from './replay-log.js';
import type { Turn, TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnOutcome } from './turn-outcome.js';
import type { StopMode } from './turn-stopping.js';

/** One message handed in, and what whoever handed it in is told. Its turn may change: see {@link Turn.isJoined}. */
export interface Submission {
  readonly request: TurnRequest;
  readonly inputId: string;
  readonly turn: Turn;
  /** The turn that answers it, and whether that was begun for it. */
  belongsTo(holder: Holder, isFirst: boolean): void;
  emit(event: TurnEvent): void;
  accept(place: { readonly seq?: number; readonly id: string }): void;
  refuse(error: unknown): void;
  /** Nothing of its turn runs any more. */
  settle(outcome: TurnOutcome, ended: TurnEvent): void;
  /** What its turn has said since its last stored message. */
  said(): string;
}

export interface Holder {
  readonly turnId: string;
  stop(reason: string, mode: StopMode): boolean;
}

export function createSubmission(request: TurnRequest, inputId: string): Submission {
  const { sessionKey } = request.session;
  const events = createReplayLog<TurnEvent>();
  const accepted = deferred<{ readonly seq?: number; readonly id: string }>();
  // Whoever does not look at it need not handle it.
  accepted.promise.catch(() => {});
  const outcome = deferred<TurnOutcome>();
  let holder: Holder | undefined;
  let turnId = '';
  let isFirst = true;
  /** What the turn of another says is of no concern before the message is part of what it will answer. */
  let isSafe = false;
  const stop = (reason: string, mode: StopMode = 'now') => holder?.stop(reason, mode) ?? false;
  const onAbort = () => void stop('The caller aborted the turn.');

  return {
    request,
    inputId,
    turn: {
      get id() {
        return turnId;
      },
      get isJoined() {
        return !isFirst;
      },
      sessionKey,
      inputId,
      accepted: accepted.promise,
      events,
      outcome: outcome.promise,
      stop,
    },
    belongsTo(next, first) {
      holder = next;
      turnId = next.turnId;
      isFirst = first;
      if (request.signal?.aborted) onAbort();
      else request.signal?.addEventListener('abort', onAbort, { once: true });
    },
    emit(event) {
      const isOwn = 'message' in event && event.message.id === inputId;
      isSafe ||= isFirst || (event.type === 'steering' && isOwn);
      // That another's message is safe is no answer to whoever handed this one in.
      if (isSafe && (event.type !== 'accepted' || isOwn)) events.push(event);
    },
    accept: accepted.resolve,
    refuse: accepted.reject,
    said() {
      const { entries } = events;
      const from = entries.findLastIndex(({ type }) => type === 'message' || type === 'started');
      return entries
        .slice(from + 1)
        .map((event) => (event.type === 'token' ? event.text : ''))
        .join('');
    },
    settle(ended, event) {
      request.signal?.removeEventListener('abort', onAbort);
      holder = undefined;
      events.push(event);
      events.close();
      outcome.resolve(ended);
    },
  };
}
